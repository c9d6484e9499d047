-- The one way out of deliveries. The rows are locked by this transaction. The log's key lets nothing be logged twice; a
-- missing partition is made and never undoes the end, since what was sent must not be sent again.
-- Found by key, changed by ctid, whatever the statistics say: see one_by_one.
create or replace function gnomon_data.end_deliveries(ends gnomon_data.settling[], now_utc timestamptz) returns int
language plpgsql volatile set search_path = ''
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
declare
    groups gnomon_data.order_group[];
    ended int;
begin
    perform gnomon_data.plan_for(cardinality(ends));
    perform gnomon_data.log_day('delivery_log', d.day)
       from (select distinct date_trunc('day', gnomon_data.at_of_id(e.id), 'UTC') as day from unnest(ends) as e) as d;
    with found as materialized (
        select e.*, f.tid from gnomon_data.one_by_one(ends) as e
         cross join lateral (select x.ctid as tid from gnomon_data.deliveries as x
                              where x.lane = e.lane and x.shard = e.shard and x.id = e.id limit 1) as f
    ), gone as (
        delete from gnomon_data.deliveries as d using found as e
         where d.ctid = e.tid and d.lane = e.lane and d.shard = e.shard and d.id = e.id
     returning d.*, e.outcome, e.provider_reference, e.detail, e.reason
    ), logged as (
        insert into gnomon_data.delivery_log (shard, due_at_utc, id, lane, channel, schedule_id, notification_id, user_id, outcome,
            attempts, accepted_at_utc, fired_at_utc, first_claimed_at_utc, claimed_at_utc, settled_at_utc, provider_reference, detail, reason)
        select g.shard, g.due_at_utc, g.id, g.lane, g.channel, g.schedule_id, g.notification_id, g.user_id, g.outcome,
               g.attempt, g.accepted_at_utc, g.fired_at_utc, g.first_claimed_at_utc, g.claimed_at_utc, now_utc,
               g.provider_reference, g.detail, g.reason
          from gone as g order by g.shard, g.due_at_utc, g.id
        on conflict do nothing
    )
    select count(*), array_agg(row(g.lane, g.shard, g.user_id, g.channel)::gnomon_data.order_group)
             filter (where gnomon_data.keeps_order(g.lane))
      into ended, groups from gone as g;
    if groups is not null then
        perform gnomon_data.release_next(groups);
    end if;
    return ended;
end
$$;

comment on function gnomon_data.end_deliveries(gnomon_data.settling[], timestamptz) is
    'Deletes deliveries, logs each with its outcome and lets the next of their users go; how many.';
