create or replace function gnomon.known_calendars(at_most int default 100, after text default null) returns setof gnomon.listed_calendar
language plpgsql stable security definer set search_path = ''
as $$
begin
    if at_most is null or at_most not between 1 and 1000 then
        perform gnomon_data.fail('GN024', format('at_most must be from 1 to 1000, not %s', coalesce(at_most::text, 'null')), pointer => '/at_most');
    end if;
    return query
        select c.calendar, cardinality(c.closed_on), c.closed_on[1], c.closed_on[cardinality(c.closed_on)], c.changed_at_utc
          from gnomon_data.calendars as c where c.calendar > coalesce(known_calendars.after, '')
         order by c.calendar limit at_most;
end
$$;

comment on function gnomon.known_calendars(int, text) is 'The calendars by name, without their dates; after: the last name of the page before.';
revoke all on function gnomon.known_calendars(int, text) from public;
grant execute on function gnomon.known_calendars(int, text) to gnomon_caller, gnomon_reader;
