create or replace function gnomon_data.target_fault(given text, pointer text) returns gnomon_data.fault
language plpgsql immutable parallel safe
as $$
begin
    if given is null then
        return gnomon_data.field_fault('GN024', pointer, 'is required');
    elsif char_length(given) not between 1 and 255 then
        return gnomon_data.field_fault('GN024', pointer, format('must have 1 to 255 characters, not %s', char_length(given)));
    end if;
    return null;
end
$$;

comment on function gnomon_data.target_fault(text, text) is 'GN024 unless this may name a target of a mass operation: 1 to 255 characters.';
