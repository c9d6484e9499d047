create or replace function gnomon_data.lane_of_id(id uuid) returns smallint
language sql immutable strict parallel safe
as $$ select (get_byte(uuid_send(id), 6) & 15)::smallint $$;

comment on function gnomon_data.lane_of_id(uuid) is 'The lane that new_id wrote into a delivery''s id: 0, 1 or 2.';
