-- In place and in no indexed column: the row stays where an upsert that waits for it will look. The new stamp makes the timer
-- that is set stale; the caller sets another, and drops the old one if that is worth the search.
create or replace function gnomon_data.write_pending(s gnomon_data.schedules, now_utc timestamptz) returns gnomon_data.schedules
language plpgsql volatile
as $$
begin
    update gnomon_data.schedules as x
       set due_at_utc = s.due_at_utc, fire_at_utc = s.fire_at_utc, nominal_local = s.nominal_local, resolution = s.resolution,
           stamp = gnomon_data.next_stamp(s.stamp, now_utc), fired_count = s.fired_count, last_due_at_utc = s.last_due_at_utc,
           prior_due_at_utc = s.prior_due_at_utc, paused_at_utc = s.paused_at_utc, version = s.version
     where x.shard = s.shard and x.id = s.id and x.is_recurring = s.is_recurring
 returning x.* into s;
    return s;
end
$$;

comment on function gnomon_data.write_pending(gnomon_data.schedules, timestamptz) is
    'Writes the pending occurrence, count, pause and version of a locked schedule, with a new stamp; the row as it is then.';
