-- The fire itself: the schedules named are locked by this transaction and due. One statement, one snapshot: a one-shot is
-- consumed, a recurrence advanced, its next timer set, deliveries appear with their exact instants, the ledger gets its rows.
-- Order: a transactional delivery that finds an earlier unsettled one of its user and channel is parked (ready = infinity).
-- FOR KEY SHARE makes that one's settle wait for our commit, so its release sees our row; SKIP LOCKED, because one that is
-- being settled stands in nobody's way and a fire never waits. Without holds_order it is only looked for, and upkeep frees
-- what is left (release_parked). For one fired after a later one, see park_overtaken.
-- Planned as one_by_one and plan_for say. A call is about one slice: low and high leave the planner one leaf of each kind.
create or replace function gnomon_data.fire_schedules(
    shards smallint[], ids uuid[], now_utc timestamptz, holds_order boolean, out fired_count int, out expired_count int)
language plpgsql volatile set search_path = ''
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
declare
    default_channels constant text[] := gnomon_data.default_channels();
    firsts gnomon_data.order_place[];
    low constant smallint := (select min(g) from unnest(shards) as g);
    high constant smallint := (select max(g) from unnest(shards) as g);
begin
    perform gnomon_data.plan_for(cardinality(ids));
    with due as materialized (
        select s.*, n.next_due_at_utc, n.nominal_local as next_nominal_local, n.kind as next_resolution, n.missed, l.expires,
               o.outcome, o.outcome = 'fired' as is_fired, coalesce(n.is_last, true) or not s.is_recurring as ends, l.notification_id, k.channels as asked
          from gnomon_data.one_by_one(ids) with ordinality as g (id, place)
         cross join lateral (select x.*, x.ctid as tid from gnomon_data.schedules as x
                              where x.shard = shards[g.place] and x.id = g.id and x.shard between low and high limit 1) as s
          left join lateral (select c.* from gnomon_data.categories as c where s.category is not null and c.name = s.category offset 0) as k on true
         cross join lateral (select coalesce(s.expires_at_utc, s.due_at_utc + coalesce(s.expires_for, k.expires_for)) as expires,
                                    gnomon_data.new_id(s.shard, s.fire_at_utc) as notification_id offset 0) as l
          -- Offset 0: as a condition of the join it would be asked after the call, which one-shots do not need.
          left join lateral (select a.* from gnomon_data.advance(s.rule, s.time_zone, s.due_at_utc, s.nominal_local, s.window_for,
                   l.expires, s.fired_count, now_utc) as a where s.is_recurring or s.rule ? 'late' offset 0) as n on true
         cross join lateral (select case when not s.is_recurring and n.outcome = 'missed' then 'skipped' else
                   coalesce(n.outcome, case when l.expires <= now_utc then 'expired' else 'fired' end) end as outcome offset 0) as o
    ), ended as (
        delete from gnomon_data.schedules as s using due as d
         where d.ends and s.ctid = d.tid and s.shard = d.shard and s.shard between low and high and s.id = d.id and s.is_recurring = d.is_recurring
    ), advanced as (
        update gnomon_data.schedules as s
           set nominal_local = d.next_nominal_local, resolution = d.next_resolution, due_at_utc = d.next_due_at_utc,
               -- Never before the one before, be it for the spread or a user who flew east: order goes by this instant.
               fire_at_utc = greatest(gnomon_data.spread(d.id, d.next_due_at_utc, d.window_for), d.fire_at_utc + interval '1 ms'),
               stamp = gnomon_data.next_stamp(d.stamp, now_utc),
               last_due_at_utc = case when d.is_fired then d.due_at_utc else d.last_due_at_utc end,
               prior_due_at_utc = case when d.is_fired then d.last_due_at_utc else d.prior_due_at_utc end,
               fired_count = d.fired_count + d.is_fired::int
          from due as d
         where s.ctid = d.tid and s.shard = d.shard and s.shard between low and high and s.id = d.id and s.is_recurring
           and d.is_recurring and not d.ends
     returning s.fire_at_utc, s.stamp, s.id, s.shard, s.lane
    ), next_timers as (
        select gnomon_data.put_timers(array_agg(row(a.fire_at_utc, a.fire_at_utc, a.stamp, a.id, a.shard, a.lane, 2)::gnomon_data.timers), now_utc)
          from advanced as a having count(*) > 0
    ), task as materialized (
        select d.*, c.channel, gnomon_data.new_id(d.shard, d.fire_at_utc, d.lane) as delivery_id
          from due as d cross join lateral unnest(coalesce(d.channels, d.asked, default_channels)) as c (channel)
         where d.is_fired
    ), placed as (
        select t.*, row_number() over (partition by t.shard, t.user_id, t.channel order by t.fire_at_utc, t.delivery_id) as place
          from task as t where t.lane = 1
        union all select t.*, 1 from task as t where t.lane <> 1
    ), made as (
        insert into gnomon_data.deliveries (lane, shard, id, channel, ready_at_utc, due_at_utc, schedule_id, notification_id,
            user_id, template_id, params, payload_id, dedup_key, key, occurrence, scheduled_at_utc, nominal_local, time_zone,
            expires_at_utc, accepted_at_utc, fired_at_utc, labels, spared_by, category)
        select p.lane, p.shard, p.delivery_id, p.channel,
               case when p.place > 1 or h.is_waiting or e.is_waiting then 'infinity' else greatest(p.fire_at_utc, now_utc) end,
               p.fire_at_utc, p.id, p.notification_id, p.user_id, p.template_id, p.params, p.payload_id, p.dedup_key, p.key,
               p.fired_count + 1, p.due_at_utc, p.nominal_local, p.time_zone, p.expires, p.accepted_at_utc, now_utc, p.labels, p.spared_by, p.category
          from placed as p
          left join lateral (
               select true as is_waiting from gnomon_data.deliveries as w
                where w.lane = 1 and w.shard = p.shard and w.user_id = p.user_id and w.channel = p.channel and holds_order
                  and (w.due_at_utc, w.id) < (p.fire_at_utc, p.delivery_id) and not w.has_given_way
                order by w.due_at_utc desc, w.id desc limit 1 for key share skip locked) as h on p.lane = 1 and p.place = 1
          left join lateral (
               select true as is_waiting from gnomon_data.deliveries as w
                where w.lane = 1 and w.shard = p.shard and w.user_id = p.user_id and w.channel = p.channel and not holds_order
                  and (w.due_at_utc, w.id) < (p.fire_at_utc, p.delivery_id) and not w.has_given_way limit 1) as e on p.lane = 1 and p.place = 1
         order by p.shard, p.delivery_id
    ), new_channels as (
        insert into gnomon_data.channels_in_use (lane, channel)
        select distinct t.lane, t.channel from task as t
         where not exists (select from gnomon_data.channels_in_use as u where u.lane = t.lane and u.channel = t.channel)
    ), logged as (
        insert into gnomon_data.occurrence_log (logged_at_utc, shard, schedule_id, outcome, is_last, user_id, template_id, lane,
            notification_id, occurrence, due_at_utc, fire_at_utc, nominal_local, time_zone)
        select now_utc, d.shard, d.id, o.outcome, o.is_last, d.user_id, d.template_id, d.lane,
               case when o.outcome = 'fired' then d.notification_id end, d.fired_count + d.is_fired::int,
               d.due_at_utc, d.fire_at_utc, d.nominal_local, d.time_zone
          from due as d cross join lateral (
               select d.outcome, d.ends and not d.is_recurring
               union all select 'completed', true where d.ends and d.is_recurring) as o (outcome, is_last)
    ), missed as (
        insert into gnomon_data.events (at_utc, shard, schedule_id, kind, detail)
        select now_utc, d.shard, d.id, 'missed', d.missed from due as d where d.missed is not null
    )
    select count(*) filter (where d.is_fired), count(*) filter (where not d.is_fired),
           (select array_agg(row(p.shard, p.user_id, p.channel, p.fire_at_utc, p.delivery_id)::gnomon_data.order_place)
              from placed as p where p.lane = 1 and p.place = 1 and holds_order)
      into fired_count, expired_count, firsts
      from due as d left join next_timers on true;
    if firsts is not null then
        perform gnomon_data.park_overtaken(firsts);
    end if;
end
$$;

comment on function gnomon_data.fire_schedules(smallint[], uuid[], timestamptz, boolean) is
    'Fires schedules that this transaction holds locked; now_utc was read after its xid. holds_order: keep what comes before in order from being settled until we commit.';
