-- How long before its instant an occurrence is turned into deliveries: what a fire costs then lies before the instant
-- and not behind it.
create or replace function gnomon_data.fire_ahead() returns interval
language sql stable
as $$ select gnomon_data.setting('fire_ahead', 'PT2S')::interval $$;

comment on function gnomon_data.fire_ahead() is 'The look-ahead of the fire, 2 s unless set.';
