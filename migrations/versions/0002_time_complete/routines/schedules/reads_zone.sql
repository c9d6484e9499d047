create or replace function gnomon_data.reads_zone(rule jsonb) returns boolean
language sql immutable parallel safe
as $$ select rule ->> 'kind' not in ('instant', 'relative', 'elapsed') $$;

comment on function gnomon_data.reads_zone(jsonb) is 'Whether a compiled rule is a rule of wall readings, so that its instants depend on a zone.';
