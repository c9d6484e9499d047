-- A day counts when its partition is attached and known: one that somebody detached or dropped by hand ends the run of days,
-- whatever lies beyond it.
create or replace function gnomon.periods_ahead() returns table (parent_table text, until_utc timestamptz)
language sql stable security definer set search_path = ''
as $$
    select t.parent, (
        select d.day
          from generate_series(0, 60) as n
         cross join lateral (select date_trunc('day', gnomon_data.now_utc(), 'UTC') + n * interval '24 h' as day) as d
         where not exists (select from gnomon_data.periods as p
                            where p.parent = t.parent and p.from_utc = d.day and gnomon_data.is_attached(p.period))
         order by n limit 1)
      from unnest(array['delivery_log', 'events', 'occurrence_log', 'timers']) as t (parent)
$$;

comment on function gnomon.periods_ahead() is 'Until when partitions by time exist without a gap, from today (UTC) on; a row a table.';
revoke all on function gnomon.periods_ahead() from public;
grant execute on function gnomon.periods_ahead() to gnomon_reader, gnomon_worker;
