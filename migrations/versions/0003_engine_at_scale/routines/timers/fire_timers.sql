-- Timers are taken (deleted by this transaction); now their schedules. Nothing here waits:
--   locked by us, stamp equal    fired
--   locked by us, another stamp  the timer is stale: an edit or a cancel came before, nothing to do
--   there but locked elsewhere   a caller's open transaction holds it: the timer goes back, to be seen again. Set back
--                                beyond the look-ahead: a plain + 1 s would be taken again at once
--   not there                    the schedule is gone, the timer is stale
--   meant by a mass operation   the timer is dropped; the sweep ends the schedule, pauses it (a resume sets another
--                                timer), or changes it and sets one
--   of a zone that the server   its next occurrence cannot be computed, and the error would hold up its whole lane and
--   no longer knows              shard: set back like one that is held, until the zone is there again
-- "There" is asked in a statement of its own: the snapshot of the locking one cannot tell locked from gone.
create or replace function gnomon_data.fire_timers(
    taken gnomon_data.timers[], now_utc timestamptz,
    out fired_count int, out set_back_count int, out stale_count int, out expired_count int)
language plpgsql volatile set search_path = ''
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
declare
    seen_again_at constant timestamptz := now_utc + gnomon_data.fire_ahead() + interval '1 s';
    low constant smallint := (select min(t.shard) from unnest(taken) as t);
    high constant smallint := (select max(t.shard) from unnest(taken) as t);
    locked_ids uuid[];
    live_shards smallint[];
    live_ids uuid[];
    busy gnomon_data.timers[];
begin
    perform gnomon_data.plan_for(cardinality(taken));
    fired_count := 0; set_back_count := 0; stale_count := 0; expired_count := 0;
    select array_agg(s.id), array_agg(s.shard) filter (where s.stamp = t.stamp), array_agg(s.id) filter (where s.stamp = t.stamp)
      into locked_ids, live_shards, live_ids
      from unnest(taken) as t
     cross join lateral (select x.shard, x.id, x.stamp from gnomon_data.schedules as x
                          where x.shard = t.shard and x.id = t.subject_id and x.shard between low and high
                            and (x.time_zone is null or exists (select from gnomon_data.time_zones as z where z.time_zone = x.time_zone))
                          for update skip locked) as s;
    if coalesce(cardinality(locked_ids), 0) < cardinality(taken) then
        select array_agg(row(seen_again_at, t.wanted_at_utc, t.stamp, t.subject_id, t.shard, t.lane, t.kind)::gnomon_data.timers)
          into busy
          from unnest(taken) as t
         where t.subject_id <> all (coalesce(locked_ids, '{}'))
           and exists (select from gnomon_data.schedules as x
                        where x.shard = t.shard and x.id = t.subject_id and x.stamp = t.stamp);
        if busy is not null then
            perform gnomon_data.put_timers(busy, now_utc);
            set_back_count := cardinality(busy);
        end if;
    end if;
    if live_ids is not null and gnomon_data.has_operations() then
        if gnomon_data.has_changes() then
            perform gnomon_data.note_waiting(live_shards, live_ids);
        end if;
        select l.shards, l.ids into live_shards, live_ids from gnomon_data.live_only(live_shards, live_ids) as l;
    end if;
    if live_ids is not null then
        perform gnomon_data.log_day('occurrence_log', now_utc);
        perform gnomon_data.log_day('events', now_utc);
        begin
            select f.fired_count, f.expired_count into fired_count, expired_count
              from gnomon_data.fire_in_order(live_shards, live_ids, now_utc) as f;
        exception when lock_not_available then
            select f.fired_count, f.expired_count into fired_count, expired_count
              from gnomon_data.fire_schedules(live_shards, live_ids, now_utc, false) as f;
        end;
    end if;
    stale_count := cardinality(taken) - set_back_count - coalesce(cardinality(live_ids), 0);
end
$$;

comment on function gnomon_data.fire_timers(gnomon_data.timers[], timestamptz) is
    'Fires, sets back or drops timers that this transaction has deleted from the time plane.';
