-- What was fired ahead and is not due comes back first, as at every change. What a worker holds already is sent; what comes
-- after it is paused. An occurrence that is overdue, because nobody fires, is held like any other: the caller said stop.
create or replace function gnomon.pause_schedule(schedule_id text, expected_version int default null) returns gnomon.scheduled
language plpgsql volatile security definer set search_path = ''
as $$
declare
    known_id constant uuid := gnomon_data.id_of('sch', schedule_id);
    now_utc timestamptz;
    old gnomon_data.schedules;
    s gnomon_data.schedules;
begin
    perform pg_current_xact_id();
    old := gnomon_data.lock_schedule(gnomon_data.shard_of_id(known_id), known_id, expected_version);
    if old.paused_at_utc is null then
        now_utc := gnomon_data.now_utc();
        s := gnomon_data.set_back(old, now_utc);
        s.paused_at_utc := now_utc;
        s.version := old.version + 1;
        s := gnomon_data.write_pending(s, now_utc);
        perform gnomon_data.drop_timer(old.shard, old.lane, old.fire_at_utc, old.id, old.stamp);
        perform gnomon_data.note_event(s.shard, s.id, 'paused', jsonb_build_object('version', s.version), now_utc);
        old := s;
    end if;
    return gnomon_data.standing(old);
end
$$;

comment on function gnomon.pause_schedule(text, int) is
    'Pauses a schedule, in the caller''s transaction: nothing of it fires until resume_schedule. A repeat changes nothing. GN021 stale version, GN025 over, GN029 a one-shot on its way.';
revoke all on function gnomon.pause_schedule(text, int) from public;
grant execute on function gnomon.pause_schedule(text, int) to gnomon_caller;
