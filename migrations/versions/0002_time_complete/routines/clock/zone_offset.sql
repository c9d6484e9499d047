create or replace function gnomon_data.zone_offset(time_zone text, at_utc timestamptz) returns int
language sql stable parallel safe
as $$ select extract(epoch from (at_utc at time zone time_zone) - (at_utc at time zone 'UTC'))::int $$;

comment on function gnomon_data.zone_offset(text, timestamptz) is 'Seconds by which a zone''s clock is ahead of UTC at an instant.';
