create or replace function gnomon_data.rfc3339(at_utc timestamptz) returns text
language sql stable parallel safe
as $$
    select to_char(at_utc at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS')
        || case when date_trunc('second', at_utc, 'UTC') = at_utc then '' else to_char(at_utc at time zone 'UTC', '.US') end || 'Z'
$$;

comment on function gnomon_data.rfc3339(timestamptz) is 'RFC 3339 with Z, six digits of a fraction or none.';
