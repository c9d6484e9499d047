create or replace function gnomon_data.keeps_order(lane smallint) returns boolean
language sql immutable parallel safe
as $$ select lane = 1 $$;

comment on function gnomon_data.keeps_order(smallint) is
    'Whether one user''s deliveries of a channel stay in order in this lane: the transactional one. An alert must not wait for a failing one.';
