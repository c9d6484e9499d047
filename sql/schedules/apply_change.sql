-- What a reschedule of one and a reschedule of many do to a schedule. as_of_utc: the instant by which it is judged, now for
-- one and the instant of the call for many; now_utc is when it is written.
create or replace function gnomon_data.apply_change(
    old gnomon_data.schedules, merge jsonb, now_utc timestamptz, as_of_utc timestamptz) returns gnomon_data.draft
language plpgsql volatile
as $$
declare
    before constant jsonb := gnomon_data.request_of(old);
    d gnomon_data.draft;
begin
    d := gnomon_data.read_request(gnomon_data.merge_patch(before, merge), 1, old.category);
    if (d.fault).code is null then
        d.fault := gnomon_data.hold_calendars(d.compiled);
    end if;
    if (d.fault).code is not null then
        return d;
    end if;
    d.schedule_id := old.id;
    if d.compiled ->> 'kind' = 'relative' and not merge ? 'schedule_at' then
        -- A delay counts from the call that gave it: a change of something else does not start it again.
        d.compiled := (d.compiled - 'in') || jsonb_build_object('kind', 'instant', 'at', old.rule -> 'at');
    end if;
    if d.request_hash = gnomon_data.hash_of(before::text) then
        return gnomon_data.live_answer(d, old);
    end if;
    d := gnomon_data.change_schedule(old, d, now_utc, as_of_utc);
    if (d.fault).code is not null then
        return d;
    elsif d.is_new then
        -- Raised, since change_schedule has written already.
        perform gnomon_data.fail('GN029', 'an occurrence is on its way: the recurrence can end only when it has fired', 'repeat the change in a moment');
    end if;
    if d.key is not null then
        update gnomon_data.schedule_keys as k set request_hash = d.request_hash
         where k.shard = old.shard and k.kind = 1 and k.key_hash = gnomon_data.key_hash(d.user_id, d.key) and k.schedule_id = old.id;
    end if;
    return d;
end
$$;

comment on function gnomon_data.apply_change(gnomon_data.schedules, jsonb, timestamptz, timestamptz) is
    'Merges a change (read_change) into a live schedule that this transaction has locked with its key; the draft carries the answer or its fault.';
