-- Nothing is decided here: the timer comes back, and what has become overdue is for the fire to judge by misfire, as after an
-- outage. One rule for both, recurrences and one-shots; if_past is about the acceptance and plays no part.
create or replace function gnomon.resume_schedule(schedule_id text, expected_version int default null) returns gnomon.scheduled
language plpgsql volatile security definer set search_path = ''
as $$
declare
    known_id constant uuid := gnomon_data.id_of('sch', schedule_id);
    now_utc timestamptz;
    s gnomon_data.schedules;
begin
    perform pg_current_xact_id();
    s := gnomon_data.lock_schedule(gnomon_data.shard_of_id(known_id), known_id, expected_version);
    if s.paused_at_utc is not null then
        now_utc := gnomon_data.now_utc();
        perform gnomon_data.note_event(s.shard, s.id, 'resumed',
            jsonb_build_object('version', s.version + 1, 'paused_at', gnomon_data.rfc3339(s.paused_at_utc)), now_utc);
        s.paused_at_utc := null;
        s.version := s.version + 1;
        s := gnomon_data.write_pending(s, now_utc);
        perform gnomon_data.set_timer(s, now_utc);
    end if;
    return gnomon_data.standing(s);
end
$$;

comment on function gnomon.resume_schedule(text, int) is
    'Lets a paused schedule go on, in the caller''s transaction; what has become overdue is a misfire. A repeat changes nothing. GN021 stale version, GN025 over.';
revoke all on function gnomon.resume_schedule(text, int) from public;
grant execute on function gnomon.resume_schedule(text, int) to gnomon_caller;
