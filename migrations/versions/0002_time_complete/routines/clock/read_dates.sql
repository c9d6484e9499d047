create or replace function gnomon_data.read_dates(
    given jsonb, pointer text, at_most int, out dates text[], out fault gnomon_data.fault)
language plpgsql stable parallel safe
as $$
declare
    part record;
begin
    if jsonb_typeof(given) <> 'array' then
        fault := gnomon_data.field_fault('GN024', pointer, 'must be an array of dates YYYY-MM-DD', 'such as ["2027-12-24"]');
    elsif jsonb_array_length(given) > at_most then
        fault := gnomon_data.field_fault('GN015', pointer,
            format('must not have more than %s dates, it has %s', at_most, jsonb_array_length(given)), 'gnomon.set_calendar keeps many dates under a name');
    else
        for n in 0..jsonb_array_length(given) - 1 loop
            if jsonb_typeof(given->n) <> 'string' then
                fault := gnomon_data.field_fault('GN024', pointer || '/' || n, 'must be a date YYYY-MM-DD, not ' || left((given->n)::text, 64));
            else
                part := gnomon_data.read_date(given->>n, pointer || '/' || n);
                fault := part.fault;
            end if;
            if fault.code is not null then
                return;
            end if;
        end loop;
        select coalesce(array_agg(distinct d order by d), '{}') into dates from jsonb_array_elements_text(given) as d;
    end if;
end
$$;

comment on function gnomon_data.read_dates(jsonb, text, int) is
    'Reads an array of dates, sorted and each once; GN014 for what is none, GN024 for other types, GN015 for too many.';
