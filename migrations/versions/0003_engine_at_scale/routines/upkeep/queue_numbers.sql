-- Bounded: what is counted is what waits ready, up to a thousand a lane; a longer queue is told by its oldest row.
create or replace function gnomon.queue_numbers() returns table (name text, lane text, value double precision)
language sql volatile security definer set search_path = ''
as $$
    with clock as materialized (select gnomon_data.now_utc() as now_utc),
    lanes as materialized (
        select l.lane, coalesce(sum(q.waiting_count), 0) as ready, coalesce(sum(q.in_flight_count), 0) as leased
          from unnest(array[0, 1, 2]::smallint[]) as l (lane) cross join clock as c
          left join lateral gnomon_data.queue_of_lane(l.lane, c.now_utc) as q on true
         group by l.lane
    )
    select 'deliveries_ready', gnomon_data.lane_name(l.lane), least(l.ready, 1000)::double precision from lanes as l
    union all
    select 'deliveries_leased', gnomon_data.lane_name(l.lane), least(l.leased, 1000)::double precision from lanes as l
    union all
    select 'heartbeats', null, (select count(*) from gnomon_data.heartbeats as h, clock as c where h.beat_at_utc > c.now_utc - interval '3 s')::double precision
    union all
    select 'near_horizon_seconds', null, (select extract(epoch from h.near_until_utc - c.now_utc) from gnomon_data.horizon as h, clock as c)::double precision
    union all
    select 'periods_ready', null, gnomon.periods_ready()::double precision
    union all
    select 'set_aside', null, (select count(*) from (select from gnomon.set_aside as a limit 1000) as x)::double precision
    union all
    select 'ledger_missing', null, (select coalesce(sum(k.missing_count), 0) from gnomon_data.ledger_checks as k)::double precision
    union all
    select 'ledger_shards_checked', null, (select count(*) from gnomon_data.ledger_checks as k, clock as c where k.checked_at_utc > c.now_utc - interval '3 h')::double precision
    union all
    select 'horizon_held_seconds', null, (select coalesce(max(extract(epoch from h.held_for)), 0) from gnomon.horizon_holders() as h)::double precision
    union all
    select 'horizon_held_xids', null, (select coalesce(max(h.xid_age), 0) from gnomon.horizon_holders() as h)::double precision
$$;

comment on function gnomon.queue_numbers() is 'Numbers for /metrics: ready and leased deliveries by lane (counted up to 1,000), live processes, how far ahead periods exist, what was set aside (counted up to 1,000), what the ledger misses, how long somebody holds the horizon.';
revoke all on function gnomon.queue_numbers() from public;
grant execute on function gnomon.queue_numbers() to gnomon_reader, gnomon_worker;
