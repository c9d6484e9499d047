-- An instant that lies ahead is due when it says: own_draft knows it, only the warnings are the same for all.
create or replace function gnomon_data.place_alike(
    d gnomon_data.draft, is_ahead boolean, local_time time, time_zone text, time_zone_source text, now_utc timestamptz)
returns gnomon_data.draft
language plpgsql stable
as $$
begin
    d.time_zone := place_alike.time_zone;
    d.time_zone_source := place_alike.time_zone_source;
    if is_ahead then
        d.is_skipped := false;
        d.warnings := gnomon_data.channel_warnings(d.channels);
        return d;
    elsif local_time is not null then
        d.compiled := d.compiled || jsonb_build_object('time', local_time::text);
    end if;
    return gnomon_data.place_draft(d, now_utc, now_utc);
end
$$;

comment on function gnomon_data.place_alike(gnomon_data.draft, boolean, time, text, text, timestamptz) is
    'The draft of a shape, placed for all items that share local time and zone.';
