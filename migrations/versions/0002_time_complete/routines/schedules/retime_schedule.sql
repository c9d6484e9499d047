create or replace function gnomon_data.retime_schedule(shard smallint, schedule_id uuid, time_zones text[], now_utc timestamptz) returns text
language plpgsql volatile
as $$
declare
    old gnomon_data.schedules;
    s gnomon_data.schedules;
    found record;
begin
    select x.* into old from gnomon_data.schedules as x where x.shard = retime_schedule.shard and x.id = schedule_id for update skip locked;
    if old.id is null then
        return case when exists (select from gnomon_data.schedules as x where x.shard = retime_schedule.shard and x.id = schedule_id) then 'held' else 'gone' end;
    end if;
    -- What stood here while we looked may have moved or fired since.
    if old.time_zone <> all (time_zones) or not gnomon_data.reads_zone(old.rule) or old.due_at_utc <= now_utc then
        return 'right';
    end if;
    s := gnomon_data.set_back(old, now_utc);
    found := gnomon_data.retimed_instant(s.rule, s.time_zone, s.due_at_utc, s.nominal_local, s.last_due_at_utc, now_utc);
    if found.to_utc is not null then
        s.due_at_utc := found.to_utc;
        s.nominal_local := found.to_local;
        s.resolution := found.kind;
        s.fire_at_utc := gnomon_data.spread(s.id, s.due_at_utc, s.window_for);
    end if;
    if s is not distinct from old then
        return 'right';
    end if;
    s.stamp := gnomon_data.next_stamp(old.stamp, now_utc);
    update gnomon_data.schedules as x
       set due_at_utc = s.due_at_utc, fire_at_utc = s.fire_at_utc, nominal_local = s.nominal_local, resolution = s.resolution, stamp = s.stamp,
           fired_count = s.fired_count, last_due_at_utc = s.last_due_at_utc, prior_due_at_utc = s.prior_due_at_utc
     where x.shard = old.shard and x.id = old.id;
    perform gnomon_data.drop_timer(old.shard, old.lane, old.fire_at_utc, old.id, old.stamp);
    if s.paused_at_utc is null then
        perform gnomon_data.put_timers(array[row(s.fire_at_utc, s.fire_at_utc, s.stamp, s.id, s.shard, s.lane,
            case when s.is_recurring then 2 else 1 end)::gnomon_data.timers], now_utc);
    end if;
    if s.due_at_utc = old.due_at_utc then
        return 'right';
    end if;
    perform gnomon_data.log_day('events', now_utc);
    insert into gnomon_data.events (at_utc, shard, schedule_id, kind, detail)
    values (now_utc, s.shard, s.id, 'retimed', jsonb_build_object('from', gnomon_data.rfc3339(old.due_at_utc), 'to', gnomon_data.rfc3339(s.due_at_utc),
        'time_zone', s.time_zone, 'local_time', s.nominal_local, 'zone_data', gnomon_data.zone_source()));
    return 'moved';
end
$$;

comment on function gnomon_data.retime_schedule(smallint, uuid, text[], timestamptz) is
    'Moves one schedule to the instant of the zone rules of today: moved; held by another transaction; gone; or right as it was.';
