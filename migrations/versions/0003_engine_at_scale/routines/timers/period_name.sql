-- Made of a timestamp: a date goes to text by way of the session's zone, where that day may not exist.
create or replace function gnomon_data.period_name(parent text, at_utc timestamptz) returns text
language sql stable parallel safe
as $$ select parent || '_' || to_char(at_utc at time zone 'UTC', 'YYYYMMDD') $$;

comment on function gnomon_data.period_name(text, timestamptz) is 'The partition of a table that holds the day (UTC) of an instant.';
