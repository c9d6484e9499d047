-- A clean stop: what was claimed and never tried goes back at once and its attempt does not count. Waits for nobody: what a
-- caller's open cancel holds keeps its claim until the lease ends.
create or replace function gnomon.release_deliveries(lane text, delivery_ids text[], claim_ids uuid[]) returns int
language plpgsql volatile security definer set search_path = ''
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
    lane_number constant smallint := gnomon_data.check_claim(lane, 0, '1 s');
    now_utc timestamptz;
    held gnomon_data.settling[];
    stopped gnomon_data.settling[];
    released int;
begin
    perform gnomon_data.require_read_committed();
    perform pg_current_xact_id();
    now_utc := gnomon_data.now_utc();
    select array_agg(d.h) into held
      from (select i.id, x.claim_id
              from unnest(delivery_ids, claim_ids) as x (delivery_id, claim_id)
             cross join lateral (select gnomon_data.id_of('dlv', x.delivery_id) as id offset 0) as i
             order by gnomon_data.shard_of_id(i.id), i.id) as g
     cross join lateral (
           select row(y.lane, y.shard, y.id, y.claim_id, null, null, null, null, null)::gnomon_data.settling as h
             from gnomon_data.deliveries as y
            where y.lane = lane_number and y.shard = gnomon_data.shard_of_id(g.id) and y.id = g.id and y.claim_id = g.claim_id
              for no key update skip locked) as d;
    -- Found by key, changed by ctid, whatever the statistics say: see one_by_one.
    with found as materialized (
        select h.lane, h.shard, h.id, f.tid from gnomon_data.one_by_one(held) as h
         cross join lateral (select x.ctid as tid from gnomon_data.deliveries as x
                              where x.lane = h.lane and x.shard = h.shard and x.id = h.id limit 1) as f
    ), back as (
        update gnomon_data.deliveries as d
           set claim_id = null, claimed_until_utc = null, attempt = d.attempt - 1, ready_at_utc = greatest(d.due_at_utc, now_utc),
               first_claimed_at_utc = case when d.attempt > 1 then d.first_claimed_at_utc end
          from found as h where d.ctid = h.tid and d.lane = h.lane and d.shard = h.shard and d.id = h.id
     returning d.lane, d.shard, d.id, d.is_stopped
    )
    select count(*), array_agg(row(b.lane, b.shard, b.id, null, 'cancelled', null, null, null, null)::gnomon_data.settling)
             filter (where b.is_stopped)
      into released, stopped from back as b;
    if stopped is not null then
        perform gnomon_data.end_deliveries(stopped, now_utc);
    end if;
    return released;
end
$$;

comment on function gnomon.release_deliveries(text, text[], uuid[]) is
    'Hands back claimed deliveries that were never tried; the attempt is not counted. How many still were the caller''s.';
revoke all on function gnomon.release_deliveries(text, text[], uuid[]) from public;
grant execute on function gnomon.release_deliveries(text, text[], uuid[]) to gnomon_worker;
