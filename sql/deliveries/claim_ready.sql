-- The claim. First lock (never waiting), then sort out what must not be handed over any more, then hand over the rest:
--   is_stopped                    cancelled while an earlier claim held it
--   bulk with an expired lease    may have been sent: at most once, so it ends as unknown
--   expires_at_utc has passed     worthless now: expired when no worker ever had it, else out of time
--   meant by a mass cancel        asked behind the gate (claim_gate), in a statement after the one that locks
-- FOR NO KEY UPDATE, because a fire that looks for an earlier one takes FOR KEY SHARE on these rows (order needs it).
-- A ctid names a row only within its leaf: everything here speaks of the one leaf of the lane.
create or replace function gnomon_data.claim_ready(
    lane smallint, channel text, shards smallint[], after_at timestamptz[], after_id uuid[],
    at_most int, lease_for interval, worker text) returns setof gnomon.claimed
language plpgsql volatile set search_path = ''
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
    leaf constant text := 'deliveries_' || gnomon_data.lane_name(lane);
    now_utc timestamptz;
    live tid[];
    ends gnomon_data.settling[];
    gate record;
begin
    perform gnomon_data.require_read_committed();
    perform pg_current_xact_id();
    now_utc := gnomon_data.now_utc();
    execute format($sql$
        select array_agg(c.ctid) filter (where c.ends_as is null),
               array_agg(row(%2$s, c.shard, c.id, c.claim_id, c.ends_as, null, case when c.ends_as in ('failed', 'dropped') then 'expires before the next attempt' end,
                         null, case when c.claim_id is not null then 'unclear' end)::gnomon_data.settling) filter (where c.ends_as is not null)
          from (
            select l.*, case when l.is_stopped then 'cancelled'
                             when %2$s = 2 and l.claim_id is not null then 'unknown'
                             when l.expires_at_utc <= $4 and l.first_claimed_at_utc is null then 'expired'
                             when l.expires_at_utc <= $4 then gnomon_data.out_of_tries(%2$s::smallint) end as ends_as
              from unnest($1, $2, $3) as s (shard, after_at, after_id)
             cross join lateral (
                   select i.ctid, i.shard, i.id, i.claim_id, i.is_stopped, i.expires_at_utc, i.first_claimed_at_utc from gnomon_data.%1$I as i
                    where i.shard = s.shard and i.channel = %3$L
                      and (i.ready_at_utc, i.id) > (s.after_at, s.after_id) and i.ready_at_utc <= $4
                    order by i.ready_at_utc, i.id
                    limit %4$s for no key update skip locked) as l
             limit %4$s) as c
        $sql$, leaf, lane, channel, at_most)
    into live, ends using shards, after_at, after_id, now_utc;
    if ends is not null then
        perform gnomon_data.end_deliveries(ends, now_utc);
    end if;
    if live is not null then
        gate := gnomon_data.claim_gate();
        if gate.has_any then
            live := gnomon_data.hold_back(leaf, live, gate.open_hashes, now_utc);
        end if;
    end if;
    if live is null then
        return;
    end if;
    perform gnomon_data.log_day('delivery_log', now_utc);
    return query execute format($sql$
        with handed_over as (
            update gnomon_data.%1$I as d
               set claim_id = $5, claimed_at_utc = $3, claimed_until_utc = $4, ready_at_utc = $4,
                   claimed_by = $2, attempt = d.attempt + 1, first_claimed_at_utc = coalesce(d.first_claimed_at_utc, $3)
             where d.ctid = any ($1)
         returning d
        )
        select t.delivery_id, (h.d).claim_id, (h.d).attempt, $4, $3,
               gnomon_data.event_of(h.d, t.delivery_id, t.due_at, coalesce((h.d).params, p.params))
          from handed_over as h
         cross join lateral (select gnomon_data.id_text('dlv', (h.d).id) as delivery_id,
                                    gnomon_data.rfc3339((h.d).scheduled_at_utc) as due_at offset 0) as t
          left join lateral (select x.params from gnomon_data.payloads as x
                              where x.shard = (h.d).shard and x.id = (h.d).payload_id) as p on (h.d).payload_id is not null
        $sql$, leaf)
    using live, worker, now_utc, now_utc + lease_for, gen_random_uuid();
end
$$;

comment on function gnomon_data.claim_ready(smallint, text, smallint[], timestamptz[], uuid[], int, interval, text) is
    'Hands over at most at_most ready deliveries of a lane and channel, above a key (instant, id) a shard, leased for lease_for.';
