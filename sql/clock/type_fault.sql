-- A number where text is wanted is the caller's mistake and never quietly turned into text: 900 for schedule_at would
-- otherwise be read as something.
create or replace function gnomon_data.type_fault(object jsonb, parent text, wanted text, fields text[]) returns gnomon_data.fault
language plpgsql immutable parallel safe
as $$
declare
    field text;
begin
    foreach field in array fields loop
        if object ? field and jsonb_typeof(object->field) <> wanted then
            return gnomon_data.field_fault('GN024', parent || '/' || field,
                format('must be %s, not %s', replace(replace(wanted, 'string', 'text'), 'object', 'an object'),
                    case jsonb_typeof(object->field) when 'string' then 'text' when 'null' then 'null' when 'object' then 'an object'
                        when 'array' then 'an array' else 'a ' || jsonb_typeof(object->field) end));
        end if;
    end loop;
    return null;
end
$$;

comment on function gnomon_data.type_fault(jsonb, text, text, text[]) is
    'GN024 for the first of the fields that is there and not of the wanted JSON type.';
