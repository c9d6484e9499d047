-- Moves no further than the change says. A pending day that is closed now gives way to the next one; a day that opened comes
-- before the pending one if it is still ahead. To compute it all anew from now would be simpler, and would fire Tuesday's
-- nine o'clock twice for a user who flew west this morning.
-- What is due fires as it was. An occurrence that was fired ahead is taken back when its day is closed.
create or replace function gnomon_data.recalendar_schedule(
    old gnomon_data.schedules, calendar text, closed date[], opened date[], now_utc timestamptz) returns text
language plpgsql volatile
as $$
declare
    s gnomon_data.schedules := old;
    found record;
    after_utc timestamptz;
    gives_way boolean := false;
begin
    if old.last_due_at_utc > now_utc then
        s := gnomon_data.set_back(old, now_utc);
    end if;
    if s.due_at_utc > now_utc and s.nominal_local::date = any (closed) then
        gives_way := true;
        found := gnomon_data.next_occurrence(s.rule, s.time_zone, s.due_at_utc);
    elsif s.due_at_utc > now_utc and cardinality(opened) > 0 then
        after_utc := greatest(now_utc, s.last_due_at_utc);
        loop
            found := gnomon_data.next_occurrence(s.rule, s.time_zone, after_utc);
            gives_way := found.due_at_utc < s.due_at_utc and found.nominal_local::date = any (opened);
            exit when gives_way or found.due_at_utc is null or found.due_at_utc >= s.due_at_utc;
            after_utc := found.due_at_utc;
        end loop;
    end if;
    if gives_way is not true and s is not distinct from old then
        return 'right';
    end if;
    perform gnomon_data.drop_timer(old.shard, old.lane, old.fire_at_utc, old.id, old.stamp);
    if gives_way and found.due_at_utc is null then
        delete from gnomon_data.schedules_recurring as x where x.shard = old.shard and x.id = old.id;
        perform gnomon_data.log_day('occurrence_log', now_utc);
        insert into gnomon_data.occurrence_log (logged_at_utc, shard, schedule_id, outcome, is_last, user_id, template_id, lane,
            occurrence, due_at_utc, fire_at_utc, nominal_local, time_zone, detail)
        values (now_utc, s.shard, s.id, 'completed', true, s.user_id, s.template_id, s.lane, s.fired_count, s.due_at_utc, s.fire_at_utc,
            s.nominal_local, s.time_zone, jsonb_build_object('calendar', calendar));
        return 'ended';
    elsif gives_way then
        perform gnomon_data.note_event(s.shard, s.id, 'recalendared', jsonb_build_object('calendar', calendar,
            'from', gnomon_data.rfc3339(s.due_at_utc), 'to', gnomon_data.rfc3339(found.due_at_utc)), now_utc);
        s.due_at_utc := found.due_at_utc;
        s.nominal_local := found.nominal_local;
        s.resolution := found.kind;
        s.fire_at_utc := gnomon_data.spread(s.id, s.due_at_utc, s.window_for);
    end if;
    perform gnomon_data.set_timer(gnomon_data.write_pending(s, now_utc), now_utc);
    return case when gives_way then 'moved' else 'right' end;
end
$$;

comment on function gnomon_data.recalendar_schedule(gnomon_data.schedules, text, date[], date[], timestamptz) is
    'Moves the pending occurrence of a locked schedule after its calendar closed and opened days: moved, ended when none is left, or right as it was.';
