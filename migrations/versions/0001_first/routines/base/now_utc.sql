-- The only clock of the product: whatever decides about an instant reads it here, so that tests can replace one
-- function and every process sees the same time whatever its own machine says.
-- clock_timestamp, not now(): a caller's transaction may have been open for hours.
create or replace function gnomon_data.now_utc() returns timestamptz
language sql volatile parallel safe
as $$ select clock_timestamp() $$;

comment on function gnomon_data.now_utc() is 'The one clock. Tests replace this function.';
