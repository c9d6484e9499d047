-- Tried on a schedule of each form: one that takes it is enough. Told is the fault that most of them have; where some can be
-- read with it, what keeps these from being placed in time.
create or replace function gnomon_data.hopeless_fault(change jsonb) returns gnomon_data.fault
language plpgsql volatile
as $$
declare
    now_utc constant timestamptz := gnomon_data.now_utc();
    merge constant jsonb := gnomon_data.read_change(change);
    form jsonb;
    d gnomon_data.draft;
    is_read boolean;
    faults gnomon_data.fault[] := '{}';
    place_faults gnomon_data.fault[] := '{}';
begin
    foreach form in array array[
        jsonb_build_object('schedule_at', gnomon_data.rfc3339(now_utc + interval '1 year')), '{"schedule_at": "PT1H"}', '{"schedule_at": "09:00"}',
        '{"schedule_at": "09:00", "recurrence": {"pattern": "daily"}}', '{"schedule_at": "09:00", "recurrence": {"pattern": "weekly"}}',
        '{"schedule_at": "09:00", "recurrence": {"pattern": "monthly", "days_of_month": [1]}}',
        '{"schedule_at": "09:00", "recurrence": {"pattern": "yearly"}}', '{"recurrence": {"pattern": "elapsed", "every": "PT1H"}}',
        '{"recurrence": {"pattern": "cron", "cron_expr": "0 9 * * *"}}',
        '{"schedule_at": "09:00", "recurrence": {"pattern": "rrule", "rrule": "FREQ=DAILY"}}']::jsonb[]
    loop
        d := gnomon_data.read_request(gnomon_data.merge_patch(form || '{"user_id": "u", "template_id": "t"}', merge), 1);
        if (d.fault).code is null then
            d.fault := gnomon_data.hold_calendars(d.compiled);
        end if;
        is_read := (d.fault).code is null;
        if is_read then
            -- A zone is the affair of each user.
            d.time_zone_source := case when d.time_zone is null then 'installation' else d.time_zone_source end;
            d.time_zone := coalesce(d.time_zone, 'UTC');
            d.schedule_id := gnomon_data.new_id(d.shard, now_utc);
            d := gnomon_data.place_draft(d, now_utc, now_utc);
            d.fault := case when d.is_skipped then gnomon_data.field_fault('GN023', '/schedule_at', 'leaves nothing to fire', 'cancel the schedule instead')
                            else d.place_fault end;
        end if;
        if (d.fault).code is null then
            return null;
        end if;
        if is_read then
            place_faults := place_faults || d.fault;
        else
            faults := faults || d.fault;
        end if;
    end loop;
    return (select f from unnest(case when place_faults = '{}' then faults else place_faults end) as f group by f order by count(*) desc limit 1);
end
$$;

comment on function gnomon_data.hopeless_fault(jsonb) is
    'Why a change could be taken by no schedule of any form; null when some could. Raises what a change never may say.';
