create or replace function gnomon_data.at_of_id(id uuid) returns timestamptz
language sql immutable strict parallel safe
as $$ select to_timestamp(('x' || substr(encode(uuid_send(id), 'hex'), 1, 12))::bit(48)::bigint / 1000.0) $$;

comment on function gnomon_data.at_of_id(uuid) is 'The instant, to the millisecond, that new_id wrote into the id.';
