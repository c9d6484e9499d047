-- Every day: the two years go on with the clock, as long as nothing changed. A zone that did is left as it is until its
-- pending instants have been moved.
create or replace function gnomon.renew_fingerprints() returns int
language plpgsql volatile security definer set search_path = ''
as $$
declare
    now_utc constant timestamptz := gnomon_data.now_utc();
    changed text[];
begin
    perform gnomon_data.load_time_zones();
    select coalesce(array_agg(d.time_zone), '{}') into changed from gnomon.zone_drift() as d;
    perform gnomon_data.take_fingerprints(array_agg(f.time_zone), now_utc) from gnomon_data.zone_fingerprints as f
      where f.time_zone <> all (changed) and f.taken_at_utc < now_utc - interval '23 h' having count(*) > 0;
    return cardinality(changed);
end
$$;

comment on function gnomon.renew_fingerprints() is
    'Lets the fingerprints of zones reach two years ahead again and learns new zones; how many zones have other rules than pending schedules were computed by.';
revoke all on function gnomon.renew_fingerprints() from public;
grant execute on function gnomon.renew_fingerprints() to gnomon_worker;
