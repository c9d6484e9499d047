-- What was fired ahead and is not due comes back first, as at every change. What a worker holds already is sent; what comes
-- after it is paused. An occurrence that is overdue, because nobody fires, is held like any other: the caller said stop.
-- In place and in no indexed column: the row stays where an upsert that waits for it will look.
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
        update gnomon_data.schedules as x
           set paused_at_utc = now_utc, stamp = gnomon_data.next_stamp(old.stamp, now_utc), version = old.version + 1,
               due_at_utc = s.due_at_utc, fire_at_utc = s.fire_at_utc, nominal_local = s.nominal_local, resolution = s.resolution,
               fired_count = s.fired_count, last_due_at_utc = s.last_due_at_utc, prior_due_at_utc = s.prior_due_at_utc
         where x.shard = old.shard and x.id = old.id and x.is_recurring = old.is_recurring
     returning x.* into s;
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
