create or replace function gnomon_data.read_date(given text, pointer text, out on_date date, out fault gnomon_data.fault)
language plpgsql stable parallel safe
as $$
begin
    if given is null then
        return;
    elsif given !~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' then
        fault := gnomon_data.field_fault('GN014', pointer, 'must be a date YYYY-MM-DD, not ' || gnomon_data.quoted(given),
            'such as 2027-03-28');
    elsif not pg_input_is_valid(given, 'date') then
        fault := gnomon_data.field_fault('GN014', pointer, 'names a date that does not exist: ' || given);
    else
        on_date := given::date;
    end if;
end
$$;

comment on function gnomon_data.read_date(text, text) is 'Reads YYYY-MM-DD; GN014 for any other text and for dates that do not exist, both null for null.';
