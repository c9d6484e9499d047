create or replace function gnomon_data.duration_text(given interval) returns text
language sql immutable strict parallel safe
as $$
    select case when extract(epoch from given) < 0 then '-' else '' end
        || 'PT' || trim_scale(abs(extract(epoch from given))::numeric)::text || 'S'
$$;

comment on function gnomon_data.duration_text(interval) is 'An interval without months as an ISO 8601 duration in seconds.';
