create or replace function gnomon_data.answer_of(d gnomon_data.draft) returns jsonb
language sql stable
as $$
    select jsonb_strip_nulls(jsonb_build_object('fire_at_utc', d.fire_at_utc, 'time_zone', d.time_zone, 'time_zone_source', d.time_zone_source,
        'resolution', d.resolution, 'if_past', d.if_past, 'version', coalesce(d.version, 1), 'warnings', to_jsonb(d.warnings)))
$$;

comment on function gnomon_data.answer_of(gnomon_data.draft) is 'The answer to a draft as it is kept with a dedup key.';
