create or replace function gnomon_data.read_count(
    given jsonb, pointer text, at_most int, out count int, out fault gnomon_data.fault)
language plpgsql immutable parallel safe
as $$
begin
    if jsonb_typeof(given) <> 'number' then
        fault := gnomon_data.field_fault('GN024', pointer, 'must be a whole number, not ' || left(given::text, 64));
    elsif given::numeric not between 1 and at_most or given::numeric <> trunc(given::numeric) then
        fault := gnomon_data.field_fault('GN015', pointer,
            format('must be a whole number from 1 to %s, not %s', at_most, left(given::text, 64)));
    else
        count := given::numeric::int;
    end if;
end
$$;

comment on function gnomon_data.read_count(jsonb, text, int) is 'Reads a whole number from 1 to at_most; GN024 for another type, GN015 for another number.';
