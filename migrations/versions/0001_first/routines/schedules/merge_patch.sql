-- RFC 7396: null removes, an object merges, anything else replaces.
create or replace function gnomon_data.merge_patch(target jsonb, patch jsonb) returns jsonb
language plpgsql immutable
as $$
declare
    member record;
begin
    if jsonb_typeof(patch) <> 'object' then
        return patch;
    end if;
    if jsonb_typeof(target) is distinct from 'object' then
        target := '{}';
    end if;
    for member in select e.key, e.value from jsonb_each(patch) as e loop
        if member.value = 'null' then
            target := target - member.key;
        else
            target := target || jsonb_build_object(member.key, gnomon_data.merge_patch(target -> member.key, member.value));
        end if;
    end loop;
    return target;
end
$$;

comment on function gnomon_data.merge_patch(jsonb, jsonb) is 'RFC 7396 JSON merge patch.';
