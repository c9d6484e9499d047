-- A statement after the one that ended the earlier delivery, so that its snapshot sees what was parked meanwhile.
-- The earliest parked one goes, unless one that still counts stands before it. SKIP LOCKED: a caller's open cancel may
-- hold it, and a settle must not wait for a caller; upkeep looks again at what was left (gnomon.release_parked).
create or replace function gnomon_data.release_next(groups gnomon_data.order_group[]) returns int
language plpgsql volatile set search_path = ''
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
declare
    now_utc timestamptz;
    next_ones gnomon_data.settling[];
    released int;
begin
    perform gnomon_data.plan_for(cardinality(groups));
    perform pg_current_xact_id();
    now_utc := gnomon_data.now_utc();
    select array_agg(n.p) into next_ones
      from (select distinct g.* from unnest(groups) as g order by 1, 2, 3, 4) as g
     cross join lateral (
           select row(p.lane, p.shard, p.id, null, null, null, null, null, null)::gnomon_data.settling as p
             from gnomon_data.deliveries as p
            where p.lane = g.lane and p.shard = g.shard and p.user_id = g.user_id and p.channel = g.channel
              and p.ready_at_utc = 'infinity'
              and not exists (
                  select from gnomon_data.deliveries as b
                   where b.lane = g.lane and b.shard = g.shard and b.user_id = g.user_id and b.channel = g.channel
                     and (b.due_at_utc, b.id) < (p.due_at_utc, p.id) and not b.has_given_way and b.ready_at_utc <> 'infinity')
            order by p.due_at_utc, p.id limit 1 for no key update skip locked) as n;
    -- Found by key, changed by ctid, whatever the statistics say: see one_by_one.
    with found as materialized (
        select n.lane, n.shard, n.id, f.tid from gnomon_data.one_by_one(next_ones) as n
         cross join lateral (select x.ctid as tid from gnomon_data.deliveries as x
                              where x.lane = n.lane and x.shard = n.shard and x.id = n.id limit 1) as f
    )
    update gnomon_data.deliveries as d set ready_at_utc = greatest(d.due_at_utc, now_utc)
      from found as n
     where d.ctid = n.tid and d.lane = n.lane and d.shard = n.shard and d.id = n.id and d.ready_at_utc = 'infinity';
    get diagnostics released = row_count;
    return released;
end
$$;

comment on function gnomon_data.release_next(gnomon_data.order_group[]) is
    'Makes the earliest parked delivery of each group ready when nothing before it is unsettled; how many.';
