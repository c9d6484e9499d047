-- The horizon is a range, and a period within it may be gone all the same: somebody has detached or dropped it by hand.
create or replace function gnomon_data.first_hole(from_utc timestamptz, until_utc timestamptz) returns timestamptz
language sql stable
as $$
    select d.day
      from generate_series(date_trunc('day', first_hole.from_utc, 'UTC'), first_hole.until_utc - interval '1 us', interval '24 h') as d (day)
     where not gnomon_data.is_attached(gnomon_data.period_name('timers', d.day))
     limit 1
$$;

comment on function gnomon_data.first_hole(timestamptz, timestamptz) is
    'The first day (UTC) between two instants that has no period of timers attached; null when all have.';
