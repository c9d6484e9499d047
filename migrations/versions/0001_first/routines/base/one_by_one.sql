-- For statements that look up and change the rows that an array names. The planner is told of one row, and so looks each up
-- by its key or ctid, whatever the statistics say: analyzed while it held no visible row, a table of any size counts as
-- empty, and walking all of it once for each of 500 rows then seems as good. Strict, or it would be inlined and the word lost.
create or replace function gnomon_data.one_by_one(given anyarray) returns setof anyelement
language sql immutable strict rows 1
as $$ select g from unnest(given) as g $$;

comment on function gnomon_data.one_by_one(anyarray) is 'The elements of an array, told to the planner as one.';
