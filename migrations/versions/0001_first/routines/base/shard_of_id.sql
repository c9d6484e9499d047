create or replace function gnomon_data.shard_of_id(id uuid) returns smallint
language sql immutable strict parallel safe
as $$ select get_byte(uuid_send(id), 7)::smallint $$;

comment on function gnomon_data.shard_of_id(uuid) is 'The shard that new_id wrote into the id.';
