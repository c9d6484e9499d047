create or replace function gnomon_data.read_calendars(given jsonb, pointer text, out names jsonb, out fault gnomon_data.fault)
language plpgsql stable parallel safe
as $$
declare
    name text;
    near text;
begin
    if jsonb_typeof(given) <> 'array' then
        fault := gnomon_data.field_fault('GN024', pointer, 'must be an array of names of calendars', 'such as ["holidays"]');
    elsif jsonb_array_length(given) > 8 then
        fault := gnomon_data.field_fault('GN015', pointer, format('must not name more than 8 calendars, it names %s', jsonb_array_length(given)));
    else
        for n in 0..jsonb_array_length(given) - 1 loop
            name := given->>n;
            if jsonb_typeof(given->n) <> 'string' then
                fault := gnomon_data.field_fault('GN024', pointer || '/' || n, 'must be the name of a calendar, not ' || left((given->n)::text, 64));
                return;
            elsif not exists (select from gnomon_data.calendars as c where c.calendar = name) then
                near := gnomon_data.near_calendar(name);
                fault := gnomon_data.field_fault('GN015', pointer || '/' || n, 'names no calendar that is known: ' || gnomon_data.quoted(name),
                    coalesce('did you mean ' || near, 'gnomon.set_calendar makes one'));
                return;
            end if;
        end loop;
        select coalesce(jsonb_agg(distinct c order by c), '[]') into names from jsonb_array_elements_text(given) as c;
    end if;
end
$$;

comment on function gnomon_data.read_calendars(jsonb, text) is
    'Reads an array of names of calendars, sorted and each once; GN015 with the near miss for a name that is none, GN024 for other types.';
