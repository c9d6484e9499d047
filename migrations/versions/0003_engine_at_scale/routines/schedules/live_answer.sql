create or replace function gnomon_data.live_answer(d gnomon_data.draft, s gnomon_data.schedules) returns gnomon_data.draft
language plpgsql stable
as $$
begin
    d.schedule_id := s.id;
    d.status := case when s.paused_at_utc is null then 'scheduled' else 'paused' end;
    d.fire_at_utc := s.fire_at_utc;
    d.time_zone := s.time_zone;
    d.time_zone_source := s.time_zone_source;
    d.resolution := s.resolution;
    d.if_past := s.if_past;
    d.version := s.version;
    d.warnings := gnomon_data.channel_warnings(coalesce(s.channels, gnomon_data.category_channels(s.category)));
    d.place_fault := null;
    return d;
end
$$;

comment on function gnomon_data.live_answer(gnomon_data.draft, gnomon_data.schedules) is 'A draft that answers with a schedule as it stands.';
