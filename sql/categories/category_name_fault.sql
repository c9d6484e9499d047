-- Lower case only: no two names that differ by their case, and nothing that has to be quoted in an address.
create or replace function gnomon_data.category_name_fault(name text, pointer text) returns gnomon_data.fault
language sql immutable parallel safe
as $$
    select case when name is null or name !~ '^[a-z0-9][a-z0-9_.-]{0,63}$' then
        gnomon_data.field_fault('GN024', pointer, 'must be the name of a category, not ' || gnomon_data.quoted(name),
            '1 to 64 of a-z, 0-9, underscore, dot and dash, beginning with a letter or a digit') end
$$;

comment on function gnomon_data.category_name_fault(text, text) is 'GN024 unless it can be the name of a category.';
