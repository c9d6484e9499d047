-- An instant that lies ahead is due when it says, which own_draft writes.
create or replace function gnomon_data.place_alike(
    d gnomon_data.draft, warnings text[], is_ahead boolean, local_time time, time_zone text, time_zone_source text, now_utc timestamptz)
returns gnomon_data.draft
language plpgsql stable
as $$
begin
    d.time_zone := place_alike.time_zone;
    d.time_zone_source := place_alike.time_zone_source;
    d.warnings := place_alike.warnings;
    if is_ahead then
        d.is_skipped := false;
        return d;
    elsif local_time is not null then
        d.compiled := d.compiled || jsonb_build_object('time', local_time::text);
    end if;
    d := gnomon_data.place_draft(d, now_utc, now_utc);
    if d.rule is null then
        d.warnings := null; -- it did not come to them
    end if;
    return d;
end
$$;

comment on function gnomon_data.place_alike(gnomon_data.draft, text[], boolean, time, text, text, timestamptz) is
    'The draft of a shape, placed for all items that share local time and zone.';
