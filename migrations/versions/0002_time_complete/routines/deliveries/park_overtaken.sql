-- Timers fire in the order of their instants, but for one that was accepted within the look-ahead, or committed late: a later
-- one of its user and channel has been fired before it and waits for its own instant. It is parked behind the new one,
-- unless it has been tried or a worker has it: what may have been sent cannot be taken back.
-- At most one is ready and untried, the rest is parked behind it already; the bound of the look is for a user with
-- thousands under way. SKIP LOCKED: a caller's open cancel may hold it, and a fire waits for nobody.
create or replace function gnomon_data.park_overtaken(firsts gnomon_data.order_place[]) returns int
language plpgsql volatile set search_path = ''
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
declare
    parked int;
begin
    perform gnomon_data.plan_for(cardinality(firsts));
    with overtaken as materialized (
        select l.* from gnomon_data.one_by_one(firsts) as p
         cross join lateral (
               select n.id from (
                   select w.id, w.attempt, w.claim_id, w.ready_at_utc from gnomon_data.deliveries as w
                    where w.lane = 1 and w.shard = p.shard and w.user_id = p.user_id and w.channel = p.channel
                      and (w.due_at_utc, w.id) > (p.due_at_utc, p.id)
                    order by w.due_at_utc, w.id limit 200) as n
                where n.attempt = 0 and n.claim_id is null and n.ready_at_utc <> 'infinity' limit 1) as f
         cross join lateral (
               select w.ctid as tid, w.shard, w.id from gnomon_data.deliveries as w
                where w.lane = 1 and w.shard = p.shard and w.id = f.id and w.attempt = 0 and w.claim_id is null
                limit 1 for no key update skip locked) as l
    )
    update gnomon_data.deliveries as w set ready_at_utc = 'infinity' from overtaken as o
     where w.ctid = o.tid and w.lane = 1 and w.shard = o.shard and w.id = o.id;
    get diagnostics parked = row_count;
    return parked;
end
$$;

comment on function gnomon_data.park_overtaken(gnomon_data.order_place[]) is
    'Parks what was fired before these and is due after them, where no worker has had it yet; how many.';
