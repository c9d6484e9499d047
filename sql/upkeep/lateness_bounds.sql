create or replace function gnomon_data.lateness_bounds() returns double precision[]
language sql immutable parallel safe
as $$ select array[0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 'infinity']::double precision[] $$;

comment on function gnomon_data.lateness_bounds() is 'Upper bounds in seconds of the histogram of lateness, the last without end.';
