create or replace function gnomon_data.hash_of_target(target text) returns int
language sql immutable parallel safe
as $$ select hashtext(target) & 2147483647 $$;

comment on function gnomon_data.hash_of_target(text) is
    'The second key of the advisory lock on a target. Two that share one are held back together while a cancel is open, no more.';
