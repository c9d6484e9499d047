-- Names go when the server no longer knows them, but never most of them at once: a folder of zone data that is just being
-- replaced looks like that, and everybody's schedules would wait until the next look.
create or replace function gnomon_data.load_time_zones() returns int
language plpgsql volatile
as $$
declare
    server_zones constant text[] := gnomon_data.server_zones();
begin
    delete from gnomon_data.time_zones as t where t.time_zone <> all (server_zones)
       and cardinality(server_zones) > (select count(*) / 2 from gnomon_data.time_zones);
    insert into gnomon_data.time_zones (time_zone, folded, city)
    select s.name, lower(s.name), lower(regexp_replace(s.name, '^.*/', '')) from unnest(server_zones) as s (name)
    on conflict on constraint time_zones_pkey do nothing;
    -- What is new has no pending instants yet, so its rules are known from here on.
    perform gnomon_data.take_fingerprints(array_agg(t.time_zone), gnomon_data.now_utc()) from gnomon_data.time_zones as t
      where not exists (select from gnomon_data.zone_fingerprints as f where f.time_zone = t.time_zone) having count(*) > 0;
    return cardinality(server_zones);
end
$$;

comment on function gnomon_data.load_time_zones() is
    'Makes time_zones the names that this server knows, with a fingerprint of each new one, and tells how many. Safe to repeat; to be called after an upgrade of zone data.';
