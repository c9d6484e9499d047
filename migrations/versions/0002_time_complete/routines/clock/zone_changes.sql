-- Set-based: the offsets of all zones at steps of six days, and the change between two steps that differ by bisection to
-- the minute. Changes of one zone are never closer than 6.9 days, so no step holds two; since 1972 they are on whole
-- minutes. 554 zones over two years: 68,000 offsets, 0.15 s.
-- Steps are hours and never days, which would be those of the session's zone.
create or replace function gnomon_data.zone_changes(time_zones text[], from_utc timestamptz, until_utc timestamptz)
returns table (time_zone text, first_offset int, changes_at_utc timestamptz[], offsets int[])
language sql stable
as $$
    with recursive step as materialized (
        select g.at_utc from generate_series(from_utc, until_utc, interval '144 hours') as g (at_utc) union select until_utc
    ), probe as materialized (
        select z.name, s.at_utc, gnomon_data.zone_offset(z.name, s.at_utc) as seconds
          from unnest(time_zones) as z (name) cross join step as s
    ), pair as materialized (
        select p.name, p.at_utc as low_utc, p.seconds, lead(p.at_utc) over one_zone as high_utc, lead(p.seconds) over one_zone as next_seconds
          from probe as p window one_zone as (partition by p.name order by p.at_utc)
    ), change (name, low_utc, high_utc, seconds, next_seconds) as (
        select p.name, p.low_utc, p.high_utc, p.seconds, p.next_seconds from pair as p where p.next_seconds <> p.seconds
        union all
        select c.name, case when h.is_after then c.low_utc else m.at_utc end, case when h.is_after then m.at_utc else c.high_utc end,
               c.seconds, c.next_seconds
          from change as c
         cross join lateral (select c.low_utc + make_interval(mins => (extract(epoch from c.high_utc - c.low_utc) / 120)::int) as at_utc) as m
         cross join lateral (select gnomon_data.zone_offset(c.name, m.at_utc) <> c.seconds as is_after) as h
         where c.high_utc - c.low_utc > interval '1 min'
    ), found as (
        select c.name, array_agg(c.high_utc order by c.high_utc) as at_utc, array_agg(c.next_seconds order by c.high_utc) as seconds
          from change as c where c.high_utc - c.low_utc <= interval '1 min' group by c.name
    )
    select p.name, p.seconds, coalesce(f.at_utc, '{}'), coalesce(f.seconds, '{}')
      from probe as p left join found as f on f.name = p.name where p.at_utc = from_utc
$$;

comment on function gnomon_data.zone_changes(text[], timestamptz, timestamptz) is
    'What this session knows of zones: the offset in seconds at from_utc and every change until until_utc. Both on whole minutes; every name known to the server.';
