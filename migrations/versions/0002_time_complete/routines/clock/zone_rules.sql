create or replace function gnomon.zone_rules(from_utc timestamptz, until_utc timestamptz)
returns table (time_zone text, first_offset interval, changes_at_utc timestamptz[], offsets interval[])
language plpgsql stable security definer set search_path = ''
as $$
begin
    if from_utc is null or until_utc is null or until_utc <= from_utc or until_utc - from_utc > interval '87720 hours' then
        perform gnomon_data.fail('GN024', 'from_utc must lie before until_utc, by ten years at most');
    end if;
    return query
    select c.time_zone, make_interval(secs => c.first_offset), c.changes_at_utc,
           array(select make_interval(secs => o.seconds) from unnest(c.offsets) with ordinality as o (seconds, place) order by o.place)
      from gnomon_data.zone_changes(gnomon_data.server_zones(), date_bin(interval '1 min', from_utc, timestamptz '2000-01-01 00:00+00'),
            date_bin(interval '1 min', until_utc, timestamptz '2000-01-01 00:00+00')) as c;
end
$$;

comment on function gnomon.zone_rules(timestamptz, timestamptz) is
    'The rules that this session computes by: of every zone the offset at from_utc, and each change with the offset from there on. GN024.';
revoke all on function gnomon.zone_rules(timestamptz, timestamptz) from public;
grant execute on function gnomon.zone_rules(timestamptz, timestamptz) to gnomon_reader, gnomon_worker;
