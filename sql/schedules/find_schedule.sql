create or replace function gnomon.find_schedule(schedule_id text) returns gnomon.schedule_details
language plpgsql stable security definer set search_path = ''
as $$
declare
    known_id constant uuid := gnomon_data.id_of('sch', schedule_id);
    home constant smallint := gnomon_data.shard_of_id(known_id);
    s gnomon_data.schedules;
    found gnomon.schedule_details;
begin
    select x.* into s from gnomon_data.schedules as x where x.shard = home and x.id = known_id;
    if s.id is null then
        return gnomon_data.ended_details(home, known_id);
    end if;
    found.schedule_id := schedule_id;
    found.user_id := s.user_id;
    found.template_id := s.template_id;
    found.status := case when gnomon_data.is_doomed(s.user_id, s.template_id, s.labels, s.spared_by) then 'cancelled'
                         when gnomon_data.is_paused(s) then 'paused'
                         when gnomon_data.is_changing(s.user_id, s.template_id, s.labels, s.spared_by, s.fire_at_utc) then 'rescheduling'
                         when gnomon_data.is_set_aside(s.shard, s.id, s.stamp) then 'set_aside' else 'scheduled' end;
    found.fire_at_utc := gnomon_data.pending_fire_at(s);
    found.time_zone := s.time_zone;
    found.time_zone_source := s.time_zone_source;
    -- A rule that cannot be read hides itself only.
    found.local_time := case when pg_input_is_valid(s.rule ->> 'time', 'time') then gnomon_data.time_text((s.rule ->> 'time')::time) end;
    found.channels := coalesce(s.channels, gnomon_data.category_channels(s.category), gnomon_data.default_channels());
    found.params := coalesce(gnomon_data.request_of(s) -> 'params', '{}');
    found.lane := gnomon_data.lane_name(s.lane);
    found.dedup_key := s.dedup_key;
    found.key := s.key;
    found.labels := coalesce(s.labels, '{}');
    found.version := s.version;
    found.created_at_utc := s.accepted_at_utc;
    if s.is_recurring then
        found.fired_at_utc := s.last_due_at_utc;
        found.recurrence := (s.when_words -> 'recurrence') || jsonb_build_object(
            'cron_expr', s.when_words #> '{recurrence,cron_expr}', 'end_after', s.when_words #> '{recurrence,end_after}',
            'fired_count', s.fired_count, 'last_fired_at', gnomon_data.rfc3339(s.last_due_at_utc),
            'next_fire_utc', gnomon_data.rfc3339(found.fire_at_utc));
    end if;
    return found;
end
$$;

comment on function gnomon.find_schedule(text) is 'Everything known of a schedule, ended ones as far as the ledger keeps them; GN020 for an unknown id.';
revoke all on function gnomon.find_schedule(text) from public;
grant execute on function gnomon.find_schedule(text) to gnomon_caller, gnomon_reader;
