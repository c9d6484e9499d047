create or replace function gnomon_data.is_paused(s gnomon_data.schedules) returns boolean
language sql stable
as $$
    select s.paused_at_utc is not null
        or gnomon_data.has_pauses() and gnomon_data.is_held(s.user_id, s.template_id, s.labels, s.spared_by)
$$;

comment on function gnomon_data.is_paused(gnomon_data.schedules) is 'Whether nothing of a live schedule fires: paused, or held by a mass pause.';
