-- A look-up in the folded names and one in those that begin alike, never a search of all.
create or replace function gnomon_data.near_calendar(given text) returns text
language sql stable parallel safe
as $$
    select c.calendar
      from gnomon_data.calendars as c
     where c.folded >= left(lower(given), 3) and c.folded < left(lower(given), 3) || chr(1114111)
     order by (select count(*) from generate_series(1, least(length(c.folded), 64)) as n where left(c.folded, n) = left(lower(given), n)) desc,
              abs(length(c.folded) - length(given)), c.calendar
     limit 1
$$;

comment on function gnomon_data.near_calendar(text) is 'The calendar that was probably meant, for a hint; null when none is near.';
