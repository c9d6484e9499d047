-- Names without / are abbreviations to PostgreSQL first and zones second (CET loses its summer), so only UTC of them.
-- posix/ and right/ are copies in some packagings; right/ counts leap seconds and would be 27 s off.
create or replace function gnomon_data.server_zones() returns text[]
language sql stable
as $$
    select coalesce(array_agg(z.name order by z.name), '{}') from pg_catalog.pg_timezone_names as z
     where z.name = 'UTC' or z.name ~ '/' and z.name !~ '^(posix|right)/'
$$;

comment on function gnomon_data.server_zones() is 'The names of zones that the server knows and that we take; 25 ms.';
