create or replace function gnomon_data.store_params(shard smallint, schedule_id uuid, given jsonb, out params jsonb, out payload_id uuid)
language plpgsql volatile
as $$
begin
    if octet_length(given::text) <= 1024 then
        params := given;
    elsif given is not null then
        payload_id := gen_random_uuid();
        insert into gnomon_data.payloads (shard, id, schedule_id, params) values (shard, payload_id, schedule_id, given);
    end if;
end
$$;

comment on function gnomon_data.store_params(smallint, uuid, jsonb) is
    'params as they go into the schedule: themselves up to 1 KB, else a payload of their own.';
