create or replace function gnomon_data.id_before(id uuid) returns uuid
language plpgsql immutable strict
as $$
declare
    bytes bytea := uuid_send(id);
begin
    for place in reverse 15..0 loop
        if get_byte(bytes, place) > 0 then
            return encode(set_byte(bytes, place, get_byte(bytes, place) - 1), 'hex')::uuid;
        end if;
        bytes := set_byte(bytes, place, 255);
    end loop;
    return id;
end
$$;

comment on function gnomon_data.id_before(uuid) is 'The id that comes just before in the order of ids; of the lowest one itself.';
