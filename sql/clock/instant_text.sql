create or replace function gnomon_data.instant_text(at_utc timestamptz) returns text
language sql stable parallel safe
as $$ select to_char(at_utc at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') $$;

comment on function gnomon_data.instant_text(timestamptz) is
    'RFC 3339 in UTC with microseconds: how a compiled rule keeps an instant, so that reading it back loses nothing.';
