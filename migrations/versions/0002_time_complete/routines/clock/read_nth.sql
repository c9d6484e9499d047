create or replace function gnomon_data.read_nth(given jsonb, pointer text, out nth jsonb, out fault gnomon_data.fault)
language plpgsql immutable parallel safe
as $$
declare
    items constant jsonb := case jsonb_typeof(given) when 'object' then jsonb_build_array(given) when 'array' then given end;
    item jsonb;
    part record;
    at_item text;
begin
    if items is null or jsonb_array_length(items) not between 1 and 35 then
        fault := gnomon_data.field_fault('GN024', pointer, 'must be an object with weekday and n, or an array of 1 to 35 of them',
            '{"weekday": "TUE", "n": 2} is the second Tuesday, n = -1 the last');
        return;
    end if;
    nth := '[]';
    for place in 0..jsonb_array_length(items) - 1 loop
        item := items->place;
        at_item := pointer || case jsonb_typeof(given) when 'array' then '/' || place else '' end;
        if jsonb_typeof(item) <> 'object' or item - array['weekday', 'n'] <> jsonb '{}' or not item ?& array['weekday', 'n'] then
            fault := gnomon_data.field_fault('GN024', at_item, 'must be an object with weekday and n and nothing else',
                '{"weekday": "TUE", "n": 2} is the second Tuesday, n = -1 the last');
        else
            part := gnomon_data.read_weekdays(jsonb_build_array(item->'weekday'), at_item || '/weekday');
            fault := part.fault;
            if fault.code is not null then
                fault.pointer := at_item || '/weekday';
                fault.message := replace(fault.message, '.weekday.0 ', '.weekday ');
            elsif jsonb_typeof(item->'n') <> 'number' then
                fault := gnomon_data.field_fault('GN024', at_item || '/n', 'must be a whole number, not ' || left((item->'n')::text, 64));
            elsif (item->'n')::numeric not in (1, 2, 3, 4, 5, -1, -2, -3, -4, -5) then
                fault := gnomon_data.field_fault('GN015', at_item || '/n',
                    format('must be 1 to 5, or -1 to -5 from the end, not %s', left((item->'n')::text, 64)));
            end if;
        end if;
        if fault.code is not null then
            nth := null;
            return;
        end if;
        nth := nth || jsonb_build_array(jsonb_build_array((item->'n')::numeric::int, strpos(part.days, '1')));
    end loop;
    select jsonb_agg(distinct pair) into nth from jsonb_array_elements(nth) as pair;
end
$$;

comment on function gnomon_data.read_nth(jsonb, text) is
    'Reads {weekday, n}, or an array of them, into pairs [n, weekday 1 to 7]; GN024 for other shapes, GN015 for other values.';
