create or replace function gnomon.find_calendar(calendar text) returns setof gnomon.known_calendar
language sql stable security definer set search_path = ''
as $$
    select c.calendar, c.closed_on, c.changed_at_utc from gnomon_data.calendars as c where c.calendar = find_calendar.calendar
$$;

comment on function gnomon.find_calendar(text) is 'A calendar with its dates; no row for one that is not known.';
revoke all on function gnomon.find_calendar(text) from public;
grant execute on function gnomon.find_calendar(text) to gnomon_caller, gnomon_reader;
