create or replace function gnomon_data.standing(s gnomon_data.schedules) returns gnomon.scheduled
language sql stable
as $$
    select row(gnomon_data.id_text('sch', s.id), s.fire_at_utc, case when s.paused_at_utc is null then 'scheduled' else 'paused' end, false,
        s.time_zone, s.time_zone_source, s.resolution, s.if_past, s.version, gnomon_data.channel_warnings(coalesce(s.channels, gnomon_data.category_channels(s.category))))::gnomon.scheduled
$$;

comment on function gnomon_data.standing(gnomon_data.schedules) is 'A live schedule as it stands, as the answer to a change.';
