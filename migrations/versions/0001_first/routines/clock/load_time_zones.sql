-- Names without / are abbreviations to PostgreSQL first and zones second (CET loses its summer), so only UTC of them.
-- posix/ and right/ are copies in some packagings; right/ counts leap seconds and would be 27 s off.
create or replace function gnomon_data.load_time_zones() returns int
language plpgsql volatile
as $$
declare
    known_count int;
begin
    create temporary table server_zones on commit drop as
    select z.name from pg_catalog.pg_timezone_names as z
     where z.name = 'UTC' or (z.name ~ '/' and z.name !~ '^(posix|right)/');
    delete from gnomon_data.time_zones as t
     where not exists (select from server_zones as s where s.name = t.time_zone);
    insert into gnomon_data.time_zones (time_zone, folded, city)
    select s.name, lower(s.name), lower(regexp_replace(s.name, '^.*/', '')) from server_zones as s
    on conflict on constraint time_zones_pkey do nothing;
    select count(*) into known_count from gnomon_data.time_zones;
    return known_count;
end
$$;

comment on function gnomon_data.load_time_zones() is
    'Makes time_zones the names that this server knows, and tells how many. Safe to repeat; to be called after an upgrade of zone data.';
