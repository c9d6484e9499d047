create or replace function gnomon_data.is_still(time_zone text, from_utc timestamptz, until_utc timestamptz) returns boolean
language sql stable parallel safe
as $$
    select from_utc at time zone time_zone - from_utc at time zone 'UTC' = until_utc at time zone time_zone - until_utc at time zone 'UTC'
$$;

comment on function gnomon_data.is_still(text, timestamptz, timestamptz) is
    'Whether a zone keeps its offset between two instants less than 6.9 days apart: two changes are never closer.';
