create or replace function gnomon.zone_sources() returns table (taken_from text, zone_count bigint, taken_at_utc timestamptz, until_utc timestamptz)
language sql stable security definer set search_path = ''
as $$
    select f.taken_from, count(*), min(f.taken_at_utc), min(f.until_utc) from gnomon_data.zone_fingerprints as f group by f.taken_from order by 3
$$;

comment on function gnomon.zone_sources() is 'Which zone data pending schedules were computed by: of how many zones, since when remembered, and until when.';
revoke all on function gnomon.zone_sources() from public;
grant execute on function gnomon.zone_sources() to gnomon_reader, gnomon_worker;
