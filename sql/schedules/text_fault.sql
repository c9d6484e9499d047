-- Control characters are refused because ids and keys end up in logs, headers and URLs, and because U+0001 separates the
-- user from the key where both are hashed together.
create or replace function gnomon_data.text_fault(request jsonb, field text, is_required boolean) returns gnomon_data.fault
language plpgsql immutable parallel safe
as $$
declare
    given constant text := request ->> field;
begin
    if given is null then
        return case when is_required then gnomon_data.field_fault('GN024', '/' || field, 'is required') end;
    elsif char_length(given) not between 1 and 255 then
        return gnomon_data.field_fault('GN024', '/' || field,
            format('must have 1 to 255 characters, not %s', char_length(given)));
    elsif given ~ U&'[\0001-\001F\007F-\009F]' then
        return gnomon_data.field_fault('GN024', '/' || field, 'must not contain control characters');
    end if;
    return null;
end
$$;

comment on function gnomon_data.text_fault(jsonb, text, boolean) is
    'GN024 unless the field is text of 1 to 255 characters without control characters, or absent and not required.';
