-- One plan for all calls: partitions are pruned as it runs, and to plan anew for each schedule took longer than to move it.
create or replace function gnomon_data.retime_piece(
    inout place gnomon_data.retiming, at_most int, now_utc timestamptz, out moved_count int, out passed_by_count int)
language plpgsql volatile
set enable_seqscan = off set enable_sort = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan
as $$
declare
    -- Most schedules need no move: so many are looked at for one that may move.
    looks int := at_most * 10;
    look record;
    done record;
    timers gnomon_data.timers[] := '{}';
    events gnomon_data.events[] := '{}';
    looked_count int;
begin
    moved_count := 0;
    passed_by_count := 0;
    while looks > 0 and moved_count + passed_by_count < at_most and place.after_shard <= 63 loop
        looked_count := 0;
        for look in
            select s.id, s.time_zone = any (place.time_zones) and gnomon_data.reads_zone(s.rule) and (r.to_utc, r.to_local) <> (s.due_at_utc, s.nominal_local) as is_to_move
              from (select x.* from gnomon_data.schedules as x
                     where x.shard = place.after_shard and x.id > coalesce(place.after_id, '00000000-0000-0000-0000-000000000000')
                     order by x.id limit looks) as s
              left join lateral gnomon_data.retimed_instant(s.rule, s.time_zone, s.due_at_utc, s.nominal_local, s.last_due_at_utc, now_utc) as r
                on s.time_zone = any (place.time_zones) and gnomon_data.reads_zone(s.rule) and s.due_at_utc > now_utc
             order by s.id
        loop
            looked_count := looked_count + 1;
            place.after_id := look.id;
            if look.is_to_move then
                done := gnomon_data.retime_schedule(place.after_shard, look.id, place.time_zones, now_utc);
                moved_count := moved_count + (done.outcome = 'moved')::int;
                passed_by_count := passed_by_count + (done.outcome = 'held')::int;
                if (done.timer).stamp is not null then
                    timers := timers || done.timer;
                end if;
                if (done.event).kind is not null then
                    events := events || done.event;
                end if;
                exit when moved_count + passed_by_count >= at_most;
            end if;
        end loop;
        if looked_count < looks and moved_count + passed_by_count < at_most then
            place.after_shard := place.after_shard + 1;
            place.after_id := null;
        end if;
        looks := looks - looked_count;
    end loop;
    if cardinality(timers) > 0 then
        perform gnomon_data.put_timers(timers, now_utc);
    end if;
    if cardinality(events) > 0 then
        perform gnomon_data.log_day('events', now_utc);
        insert into gnomon_data.events select e.* from unnest(events) as e;
    end if;
    place.passed_by_count := place.passed_by_count + passed_by_count;
end
$$;

comment on function gnomon_data.retime_piece(gnomon_data.retiming, int, timestamptz) is
    'Walks on from a place: looks at ten times at_most schedules and moves at_most of them at most; place is how far it came.';
