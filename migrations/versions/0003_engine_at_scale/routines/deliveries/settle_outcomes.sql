-- A claim_id that is no longer the delivery's settles nothing. What an outcome means stands in meaning_of, how often and how
-- long a lane tries in retry_limits.
-- A caller's open cancel may hold a delivery that was handed over. is_patient: wait for it, locking in (shard, id) order as
-- cancel does. Otherwise it is left and told in busy_ids: a worker that waits settles nothing else and claims nothing.
-- One lock for all, then the deletes raise it: FOR KEY SHARE of a fire never waits for anything, so raising it cannot
-- deadlock.
create or replace function gnomon_data.settle_outcomes(
    outcomes gnomon.delivery_outcome[], is_patient boolean, out settled_count int, out busy_ids uuid[])
language plpgsql volatile set search_path = ''
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
declare
    now_utc timestamptz;
    settled gnomon_data.settling[];
    ends gnomon_data.settling[];
    retries gnomon_data.settling[];
    groups gnomon_data.order_group[];
begin
    perform gnomon_data.plan_for(cardinality(outcomes));
    perform gnomon_data.require_read_committed();
    perform pg_current_xact_id();
    if is_patient then
        perform l.id
           from (select i.id, o.claim_id from unnest(outcomes) as o
                  cross join lateral (select gnomon_data.id_of('dlv', o.delivery_id) as id offset 0) as i
                  order by gnomon_data.shard_of_id(i.id), i.id) as g
          cross join lateral (
                select d.id from gnomon_data.deliveries as d
                 where d.lane = gnomon_data.lane_of_id(g.id) and d.shard = gnomon_data.shard_of_id(g.id) and d.id = g.id
                   and d.claim_id = g.claim_id for no key update) as l;
    end if;
    now_utc := gnomon_data.now_utc();
    with given as materialized (
        select distinct on (i.id, o.claim_id) gnomon_data.lane_of_id(i.id) as lane, gnomon_data.shard_of_id(i.id) as shard, i.id, o.*
          from unnest(outcomes) as o cross join lateral (select gnomon_data.id_of('dlv', o.delivery_id) as id offset 0) as i
         order by i.id, o.claim_id
    ), held as (
        select g.lane, g.shard, g.id, g.provider_reference, g.detail, g.retry_after, m.ends_as, m.reason,
               h.claim_id, h.is_stopped, h.expires_at_utc, h.attempt, h.first_claimed_at_utc
          from (select x.* from given as x order by x.shard, x.id) as g
         cross join lateral (
               select d.claim_id, d.is_stopped, d.expires_at_utc, d.attempt, d.first_claimed_at_utc from gnomon_data.deliveries as d
                where d.lane = g.lane and d.shard = g.shard and d.id = g.id and d.claim_id = g.claim_id for no key update skip locked) as h
         cross join lateral gnomon_data.meaning_of(g.outcome, g.lane) as m
    )
    select array_agg(case
            when h.ends_as is not null
                then row(h.lane, h.shard, h.id, h.claim_id, h.ends_as, h.provider_reference, h.detail, null, h.reason)::gnomon_data.settling
            when h.is_stopped
                then row(h.lane, h.shard, h.id, h.claim_id, 'cancelled', h.provider_reference, h.detail, null, h.reason)::gnomon_data.settling
            else (select case when n.why_none is not null
                      then row(h.lane, h.shard, h.id, h.claim_id, gnomon_data.out_of_tries(h.lane), h.provider_reference,
                               concat_ws('; ', h.detail, n.why_none), null, h.reason)::gnomon_data.settling
                      else row(h.lane, h.shard, h.id, h.claim_id, 'retry', h.provider_reference, h.detail, n.at_utc, h.reason)::gnomon_data.settling end
                    from gnomon_data.next_attempt(h.lane, h.attempt, h.reason, h.retry_after, h.first_claimed_at_utc, h.expires_at_utc, now_utc) as n) end)
      into settled from held as h;
    select array_agg(s) filter (where s.next_ready_at_utc is null), array_agg(s) filter (where s.next_ready_at_utc is not null)
      into ends, retries from unnest(settled) as s;
    if ends is not null then
        perform gnomon_data.end_deliveries(ends, now_utc);
    end if;
    if retries is not null then
        if 'unauthorised' = any (select r.reason from unnest(retries) as r) then
            perform gnomon_data.note_unauthorised(retries, now_utc);
        end if;
        groups := gnomon_data.postpone_deliveries(retries, now_utc);
        if groups is not null then
            perform gnomon_data.release_next(groups);
        end if;
    end if;
    settled_count := coalesce(cardinality(settled), 0);
    if settled_count < cardinality(outcomes) and not is_patient then
        -- Asked in a statement of its own: what is settled by now is gone, what is still there with this claim was locked.
        select array_agg(distinct d.id) into busy_ids
          from unnest(outcomes) as o
         cross join lateral (select gnomon_data.id_of('dlv', o.delivery_id) as id offset 0) as i
         cross join lateral (
               select x.id from gnomon_data.deliveries as x
                where x.lane = gnomon_data.lane_of_id(i.id) and x.shard = gnomon_data.shard_of_id(i.id) and x.id = i.id
                  and x.claim_id = o.claim_id) as d;
    end if;
end
$$;

comment on function gnomon_data.settle_outcomes(gnomon.delivery_outcome[], boolean) is
    'Ends or postpones each delivery whose claim_id still holds; how many, and which are held by somebody''s open transaction.';
