-- What our workers call: the last batch is settled and the next one claimed in one transaction, one round trip. It waits for
-- nobody's transaction: an outcome whose delivery is held by one comes back as a row without an event, to be handed in again.
create or replace function gnomon.exchange_deliveries(
    outcomes gnomon.delivery_outcome[], lane text, channel text, shards smallint[], at_most int, lease_for interval, worker text,
    after_at timestamptz[] default null, after_id uuid[] default null)
returns setof gnomon.claimed
language plpgsql volatile security definer set search_path = ''
as $$
declare
    lane_number constant smallint := gnomon_data.check_claim(lane, at_most, lease_for);
begin
    if cardinality(outcomes) > 0 then
        return query
            select gnomon_data.id_text('dlv', b.id), null::uuid, null::int, null::timestamptz, gnomon_data.now_utc(), null::jsonb
              from gnomon_data.settle_outcomes(outcomes, false) as s cross join lateral unnest(s.busy_ids) as b (id);
    end if;
    if at_most > 0 and cardinality(shards) > 0 then
        return query select c.* from gnomon_data.claim_ready(lane_number, exchange_deliveries.channel, shards,
            coalesce(after_at, array_fill('-infinity'::timestamptz, array[cardinality(shards)])),
            coalesce(after_id, array_fill('00000000-0000-0000-0000-000000000000'::uuid, array[cardinality(shards)])),
            at_most, lease_for, worker) as c;
    end if;
end
$$;

comment on function gnomon.exchange_deliveries(gnomon.delivery_outcome[], text, text, smallint[], int, interval, text, timestamptz[], uuid[]) is
    'Settles outcomes and takes over at most at_most ready deliveries of a lane and channel in the shards given, above a key (instant, id) a shard. at_most 0 settles only. A row without an event is an outcome that is not settled: an open transaction holds the delivery, hand it in again.';
revoke all on function gnomon.exchange_deliveries(gnomon.delivery_outcome[], text, text, smallint[], int, interval, text, timestamptz[], uuid[]) from public;
grant execute on function gnomon.exchange_deliveries(gnomon.delivery_outcome[], text, text, smallint[], int, interval, text, timestamptz[], uuid[]) to gnomon_worker;
