-- Handed over minus due, by the one clock, from every delivery of today and not from averages of windows. le as Prometheus
-- counts: cumulative, in seconds, the last +Inf.
create or replace function gnomon.lateness() returns table (lane text, le double precision, count bigint, sum_seconds double precision)
language sql stable security definer set search_path = ''
as $$
    with late as materialized (
        select g.lane, greatest(extract(epoch from g.first_claimed_at_utc - g.due_at_utc), 0)::double precision as seconds
          from gnomon_data.delivery_log as g
         where g.first_claimed_at_utc is not null
           and g.due_at_utc >= date_trunc('day', gnomon_data.now_utc(), 'UTC')
    )
    select gnomon_data.lane_name(l.lane), b.le, count(t.seconds) filter (where t.seconds <= b.le), coalesce(sum(t.seconds), 0)
      from unnest(array[0, 1, 2]::smallint[]) as l (lane)
     cross join unnest(array[0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 'infinity']::double precision[]) as b (le)
      left join late as t on t.lane = l.lane
     group by l.lane, b.le order by l.lane, b.le
$$;

comment on function gnomon.lateness() is 'The lateness histogram of what was due today (UTC): cumulative counts by upper bound in seconds, and the sum.';
revoke all on function gnomon.lateness() from public;
grant execute on function gnomon.lateness() to gnomon_reader, gnomon_worker;
