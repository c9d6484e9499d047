create or replace function gnomon_data.labels_fault(labels jsonb) returns gnomon_data.fault
language plpgsql immutable parallel safe
as $$
declare
    label record;
begin
    if labels is null then
        return null;
    elsif (select count(*) from jsonb_each(labels)) > 16 then
        return gnomon_data.field_fault('GN024', '/labels', 'must not have more than 16 entries');
    end if;
    for label in select e.key, e.value from jsonb_each(labels) as e loop
        if jsonb_typeof(label.value) <> 'string' then
            return gnomon_data.field_fault('GN024', '/labels/' || label.key, 'must be text');
        elsif char_length(label.key) not between 1 and 255 or char_length(label.value #>> '{}') not between 1 and 255 then
            return gnomon_data.field_fault('GN024', '/labels/' || left(label.key, 64), 'must have 1 to 255 characters, name and value alike');
        end if;
    end loop;
    return null;
end
$$;

comment on function gnomon_data.labels_fault(jsonb) is 'GN024 unless labels are at most 16 texts by name, each 1 to 255 characters.';
