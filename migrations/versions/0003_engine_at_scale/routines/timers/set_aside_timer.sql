-- The schedule is not written to: what cannot be fired may not be writable either, for the same reason. It has lost its timer,
-- and that alone keeps it from firing. Locked by somebody meanwhile: perhaps he mends it, so the timer goes back.
create or replace function gnomon_data.set_aside_timer(given gnomon_data.timers, code text, message text, now_utc timestamptz) returns boolean
language plpgsql volatile
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
as $$
declare
    content jsonb;
begin
    perform from gnomon_data.schedules as s
      where s.shard = given.shard and s.id = given.subject_id and s.stamp = given.stamp for update skip locked;
    if not found then
        given.fire_at_utc := now_utc + gnomon_data.fire_ahead() + interval '1 s';
        perform gnomon_data.put_timers(array[given], now_utc);
        return false;
    end if;
    begin
        select to_jsonb(s) into content from gnomon_data.schedules as s where s.shard = given.shard and s.id = given.subject_id;
    exception when others then
        -- Not even readable; the error that is noted says enough.
        null;
    end;
    insert into gnomon_data.set_aside as a (shard, id, what, schedule_id, lane, stamp, due_at_utc, error_code, error_text, set_aside_at_utc, content)
    values (given.shard, given.subject_id, 'schedule', given.subject_id, given.lane, given.stamp, given.wanted_at_utc, code, message, now_utc, content)
    on conflict on constraint set_aside_pkey do update
       set stamp = excluded.stamp, due_at_utc = excluded.due_at_utc, error_code = excluded.error_code, error_text = excluded.error_text,
           set_aside_at_utc = excluded.set_aside_at_utc, content = excluded.content;
    perform gnomon_data.note_event(given.shard, given.subject_id, 'set_aside', jsonb_build_object('code', code, 'error', message,
        'due_at', gnomon_data.rfc3339(given.wanted_at_utc)), now_utc);
    return true;
end
$$;

comment on function gnomon_data.set_aside_timer(gnomon_data.timers, text, text, timestamptz) is
    'Notes a schedule whose fire raised an error and leaves it without a timer; false when somebody holds it, then its timer goes back.';
