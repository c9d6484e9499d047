create or replace function gnomon_data.user_item_fault(item jsonb) returns gnomon_data.fault
language plpgsql stable
as $$
declare
    unknown text;
    fault gnomon_data.fault;
begin
    if jsonb_typeof(item) <> 'object' then
        return gnomon_data.field_fault('GN024', '', 'must be a JSON object');
    end if;
    select e.key into unknown from jsonb_each(item) as e where e.key not in ('user_id', 'time_zone', 'timezone', 'locale') limit 1;
    if unknown is not null then
        return gnomon_data.field_fault('GN024', '/' || unknown, 'is no field of a user', 'known: user_id, time_zone, locale');
    end if;
    fault := gnomon_data.type_fault(jsonb_strip_nulls(item), '', 'string', array['user_id', 'time_zone', 'timezone', 'locale']);
    if (fault).code is null then
        fault := gnomon_data.user_fault(item ->> 'user_id', coalesce(item ->> 'time_zone', item ->> 'timezone'), item ->> 'locale');
    end if;
    return fault;
end
$$;

comment on function gnomon_data.user_item_fault(jsonb) is 'What is wrong with one item of set_users, null when nothing is.';
