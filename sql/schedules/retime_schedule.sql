-- Writes the schedule alone; its timer and event are the caller's to write, for a whole batch at once. The old timer is
-- left where it is: stale by its stamp, it drops when it comes up, and to search the time plane for each of a million
-- would take longer than all the rest.
create or replace function gnomon_data.retime_schedule(
    shard smallint, schedule_id uuid, time_zones text[], now_utc timestamptz,
    out outcome text, out timer gnomon_data.timers, out event gnomon_data.events)
language plpgsql volatile
as $$
declare
    old gnomon_data.schedules;
    s gnomon_data.schedules;
    found record;
begin
    select x.* into old from gnomon_data.schedules as x where x.shard = retime_schedule.shard and x.id = schedule_id for update skip locked;
    if old.id is null then
        outcome := case when exists (select from gnomon_data.schedules as x where x.shard = retime_schedule.shard and x.id = schedule_id) then 'held' else 'gone' end;
        return;
    end if;
    outcome := 'right';
    -- What stood here while we looked may have moved or fired since.
    if old.time_zone <> all (time_zones) or not gnomon_data.reads_zone(old.rule) or old.due_at_utc <= now_utc then
        return;
    end if;
    s := old;
    if old.last_due_at_utc + coalesce(old.window_for, interval '0') > now_utc then
        s := gnomon_data.set_back(old, now_utc);
    end if;
    found := gnomon_data.retimed_instant(s.rule, s.time_zone, s.due_at_utc, s.nominal_local, s.last_due_at_utc, now_utc);
    if found.to_utc is not null then
        s.due_at_utc := found.to_utc;
        s.nominal_local := found.to_local;
        s.resolution := found.kind;
        s.fire_at_utc := gnomon_data.spread(s.id, s.due_at_utc, s.window_for);
    end if;
    if s is not distinct from old then
        return;
    end if;
    s := gnomon_data.write_pending(s, now_utc);
    if s.paused_at_utc is null then
        timer := row(s.fire_at_utc, s.fire_at_utc, s.stamp, s.id, s.shard, s.lane, case when s.is_recurring then 2 else 1 end);
    end if;
    if s.due_at_utc <> old.due_at_utc then
        outcome := 'moved';
        event := row(now_utc, s.shard, s.id, null, 'retimed', jsonb_build_object('from', gnomon_data.rfc3339(old.due_at_utc), 'to', gnomon_data.rfc3339(s.due_at_utc),
            'time_zone', s.time_zone, 'local_time', s.nominal_local, 'zone_data', gnomon_data.zone_source()));
    end if;
end
$$;

comment on function gnomon_data.retime_schedule(smallint, uuid, text[], timestamptz) is
    'Moves one schedule to the instant of the zone rules of today, all but its timer and event: moved; held by another transaction; gone; or right as it was.';
