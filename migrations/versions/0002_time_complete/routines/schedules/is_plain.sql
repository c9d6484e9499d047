-- Only says yes when it is certain: a no costs a reading word by word and nothing else.
create or replace function gnomon_data.is_plain(request jsonb) returns boolean
language plpgsql immutable parallel safe
as $$
declare
    who constant text := request ->> 'user_id';
    names constant text := concat(who, request ->> 'key', request ->> 'dedup_key');
begin
    if jsonb_typeof(request) <> 'object' then
        return false;
    end if;
    return jsonb_typeof(request -> 'user_id') = 'string' and char_length(who) between 1 and 255
        and coalesce(jsonb_typeof(request -> 'key') = 'string' and char_length(request ->> 'key') between 1 and 255, true)
        and coalesce(jsonb_typeof(request -> 'dedup_key') = 'string' and char_length(request ->> 'dedup_key') between 1 and 255, true)
        and names !~ U&'[\0001-\001F\007F-\009F]'
        and coalesce(jsonb_typeof(request -> 'schedule_at') = 'string', true)
        and coalesce(jsonb_typeof(request -> 'timezone') = 'string', true)
        and coalesce(jsonb_typeof(request -> 'recurrence') = 'object', true)
        and coalesce(jsonb_typeof(request -> 'params') = 'object' and octet_length((request -> 'params')::text) <= 65536, true)
        and coalesce(jsonb_typeof(request -> 'labels') = 'object' and (gnomon_data.labels_fault(request -> 'labels')).code is null, true);
end
$$;

comment on function gnomon_data.is_plain(jsonb) is
    'Whether what differs between requests that are alike (user, keys, params, labels) is without a fault, and the rest of a type that can be compared.';
