create or replace function gnomon_data.word_fault(object jsonb, field text, words text[]) returns gnomon_data.fault
language plpgsql immutable parallel safe
as $$
begin
    if not object ? field or object->>field = any (words) then
        return null;
    end if;
    return gnomon_data.field_fault('GN024', '/' || field,
        format('must be one of %s, not %s', array_to_string(words, ', '), gnomon_data.quoted(object->>field)));
end
$$;

comment on function gnomon_data.word_fault(jsonb, text, text[]) is 'GN024 when the field is there and none of the words.';
