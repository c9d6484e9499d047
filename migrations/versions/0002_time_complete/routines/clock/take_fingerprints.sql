-- Taken at install, and anew only when every pending instant of the zone agrees with the rules: at the end of a retime, or
-- when nothing changed (renew_fingerprints). Taken earlier, a change would be forgotten before anything moved.
create or replace function gnomon_data.take_fingerprints(time_zones text[], now_utc timestamptz) returns int
language plpgsql volatile
as $$
declare
    begin_utc constant timestamptz := date_bin(interval '1 hour', now_utc, timestamptz '2000-01-01 00:00+00');
    end_utc constant timestamptz := begin_utc + interval '17544 hours';
    taken_count int;
begin
    insert into gnomon_data.zone_fingerprints as f (time_zone, from_utc, until_utc, first_offset, changes_at_utc, offsets, taken_at_utc, taken_from)
    select c.time_zone, begin_utc, end_utc, c.first_offset, c.changes_at_utc, c.offsets, now_utc, gnomon_data.zone_source()
      from gnomon_data.zone_changes(time_zones, begin_utc, end_utc) as c
     order by c.time_zone
    on conflict on constraint zone_fingerprints_pkey do update
       set from_utc = excluded.from_utc, until_utc = excluded.until_utc, first_offset = excluded.first_offset,
           changes_at_utc = excluded.changes_at_utc, offsets = excluded.offsets, taken_at_utc = excluded.taken_at_utc, taken_from = excluded.taken_from;
    get diagnostics taken_count = row_count;
    return taken_count;
end
$$;

comment on function gnomon_data.take_fingerprints(text[], timestamptz) is
    'Stores the rules of zones over the next two years as this session knows them; how many. Every name known to the server.';
