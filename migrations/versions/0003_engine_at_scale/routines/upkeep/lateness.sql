-- Handed over minus due, by the one clock, from every delivery of today and not from averages of windows. le as Prometheus
-- counts: cumulative, in seconds, the last +Inf. Upkeep counts what was settled (fold_lateness); here the rest is added, however
-- much that is: without upkeep it is the whole day.
create or replace function gnomon.lateness() returns table (lane text, le double precision, count bigint, sum_seconds double precision)
language sql stable security definer set search_path = ''
as $$
    with day as materialized (
        select gnomon_data.period_name('delivery_log', gnomon_data.now_utc()) as period
    ), seen as materialized (
        select d.period, coalesce(w.from_block, 0) as from_block, coalesce(w.until_utc, '-infinity') as until_utc
          from day as d left join gnomon_data.lateness_walk as w on w.period = d.period
    ), counted as (
        select f.lane, f.le, f.count, f.sum_seconds from seen as s join gnomon_data.lateness_folds as f on f.period = s.period
        union all
        select r.* from seen as s cross join lateral gnomon_data.lateness_since(s.period, s.from_block, s.until_utc, 'infinity') as r
    )
    select gnomon_data.lane_name(l.lane), b.le, coalesce(sum(c.count), 0)::bigint, coalesce(sum(c.sum_seconds), 0)
      from unnest(array[0, 1, 2]::smallint[]) as l (lane)
     cross join unnest(gnomon_data.lateness_bounds()) as b (le)
      left join counted as c on c.lane = l.lane and c.le = b.le
     group by l.lane, b.le order by l.lane, b.le
$$;

comment on function gnomon.lateness() is 'The lateness histogram of what was due today (UTC): cumulative counts by upper bound in seconds, and the sum.';
revoke all on function gnomon.lateness() from public;
grant execute on function gnomon.lateness() to gnomon_reader, gnomon_worker;
