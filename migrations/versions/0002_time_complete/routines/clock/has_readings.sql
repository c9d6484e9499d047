create or replace function gnomon_data.has_readings(rule jsonb) returns boolean
language sql immutable parallel safe
as $$ select rule ?| array['time', 'minutes'] $$;

comment on function gnomon_data.has_readings(jsonb) is
    'Whether a compiled rule is a set of wall readings, so that it needs a zone and moves with its user; instants and elapsed time are not.';
