-- A retry moves ready_at_utc; due_at_utc never changes. One that waits for more than a minute gives up its place, so that
-- a dead address does not hold back everything that follows for the user; not for what is unauthorised: all that follows is as
-- well, and goes in its order when that is mended. FOR UPDATE on those: it waits for a fire that is
-- parking another one behind it right now (FOR KEY SHARE), so that the release that follows sees it.
create or replace function gnomon_data.postpone_deliveries(retries gnomon_data.settling[], now_utc timestamptz)
returns gnomon_data.order_group[]
language plpgsql volatile set search_path = ''
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
    groups gnomon_data.order_group[];
begin
    perform gnomon_data.log_day('events', now_utc);
    perform d.id
       from (select x.* from unnest(retries) as x
              where gnomon_data.keeps_order(x.lane) and x.next_ready_at_utc > now_utc + interval '60 s' and x.reason is distinct from 'unauthorised'
              order by x.shard, x.id) as r
      cross join lateral (
            select y.id from gnomon_data.deliveries as y
             where y.lane = r.lane and y.shard = r.shard and y.id = r.id and not y.has_given_way for update) as d;
    with found as materialized (
        select r.*, f.tid from gnomon_data.one_by_one(retries) as r
         cross join lateral (select x.ctid as tid from gnomon_data.deliveries as x
                              where x.lane = r.lane and x.shard = r.shard and x.id = r.id limit 1) as f
    ), moved as (
        update gnomon_data.deliveries as d
           set ready_at_utc = greatest(r.next_ready_at_utc, now_utc), claim_id = null, claimed_until_utc = null,
               attempt = case when r.reason = 'unauthorised' then d.attempt - 1 else d.attempt end,
               has_given_way = d.has_given_way or r.next_ready_at_utc > now_utc + interval '60 s' and r.reason is distinct from 'unauthorised'
          from found as r
         where d.ctid = r.tid and d.lane = r.lane and d.shard = r.shard and d.id = r.id
     returning d.lane, d.shard, d.id, d.user_id, d.channel, d.schedule_id, d.attempt, d.has_given_way, r.detail, r.reason, r.next_ready_at_utc
    ), noted as (
        insert into gnomon_data.events (at_utc, shard, schedule_id, delivery_id, kind, detail)
        select now_utc, m.shard, m.schedule_id, m.id, 'retry', jsonb_build_object('attempt', m.attempt, 'reason', m.reason,
                   'detail', m.detail, 'next_at', gnomon_data.rfc3339(m.next_ready_at_utc))
          from moved as m
    )
    select array_agg(row(m.lane, m.shard, m.user_id, m.channel)::gnomon_data.order_group)
             filter (where m.has_given_way and gnomon_data.keeps_order(m.lane))
      into groups from moved as m;
    return groups;
end
$$;

comment on function gnomon_data.postpone_deliveries(gnomon_data.settling[], timestamptz) is
    'Sets locked deliveries back for a later attempt; the groups whose next may go now.';
