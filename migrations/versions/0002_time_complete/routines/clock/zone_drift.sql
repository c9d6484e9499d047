-- A backend keeps what it once loaded of a zone: asked in a session that was open while zone data were replaced, this
-- tells of the old ones. Compared from now on: a change of the past moves nothing that is pending.
create or replace function gnomon.zone_drift()
returns table (time_zone text, differs_from_utc timestamptz, offset_before interval, offset_now interval, taken_at_utc timestamptz, taken_from text)
language plpgsql stable security definer set search_path = ''
as $$
declare
    now_utc constant timestamptz := date_bin(interval '1 min', gnomon_data.now_utc(), timestamptz '2000-01-01 00:00+00');
    server_zones constant text[] := gnomon_data.server_zones();
begin
    return query
    with span as (
        select f.until_utc, array_agg(f.time_zone) as time_zones from gnomon_data.zone_fingerprints as f
         where f.until_utc > now_utc and f.time_zone = any (server_zones) group by f.until_utc
    ), pair as (
        select f.*, c.first_offset as first_offset_now, c.changes_at_utc as changes_now_at_utc, c.offsets as offsets_now
          from span as s
         cross join lateral gnomon_data.zone_changes(s.time_zones, now_utc, s.until_utc) as c
          join gnomon_data.zone_fingerprints as f on f.time_zone = c.time_zone
    ), point as (
        select p.time_zone, u.at_utc,
               coalesce(p.offsets[(select count(*) from unnest(p.changes_at_utc) as x (at_utc) where x.at_utc <= u.at_utc)], p.first_offset) as before,
               coalesce(p.offsets_now[(select count(*) from unnest(p.changes_now_at_utc) as x (at_utc) where x.at_utc <= u.at_utc)], p.first_offset_now) as after
          from pair as p cross join lateral unnest(array[greatest(now_utc, p.from_utc)] || p.changes_at_utc || p.changes_now_at_utc) as u (at_utc)
         where u.at_utc >= greatest(now_utc, p.from_utc) and u.at_utc < p.until_utc
    )
    select d.time_zone, d.at_utc, make_interval(secs => d.before), make_interval(secs => d.after), f.taken_at_utc, f.taken_from
      from (select distinct on (p.time_zone) p.* from point as p where p.before <> p.after order by p.time_zone, p.at_utc) as d
      join gnomon_data.zone_fingerprints as f on f.time_zone = d.time_zone
    union all
    select f.time_zone, now_utc, make_interval(secs => f.first_offset), null, f.taken_at_utc, f.taken_from
      from gnomon_data.zone_fingerprints as f where f.time_zone <> all (server_zones)
     order by 1;
end
$$;

comment on function gnomon.zone_drift() is
    'The zones whose rules, as this session knows them, are no longer those that pending schedules were computed by: from which instant on, and how (offset_now null: the server no longer knows the zone). Ask in a new session.';
revoke all on function gnomon.zone_drift() from public;
grant execute on function gnomon.zone_drift() to gnomon_reader, gnomon_worker;
