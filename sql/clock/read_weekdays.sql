create or replace function gnomon_data.read_weekdays(given jsonb, pointer text, out days text, out fault gnomon_data.fault)
language plpgsql immutable parallel safe
as $$
declare
    names constant text[] := array['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'];
    item jsonb;
    item_pointer text;
begin
    if jsonb_typeof(given) <> 'array' then
        fault := gnomon_data.field_fault('GN024', pointer, 'must be an array of names MON to SUN');
        return;
    elsif given = jsonb '[]' then
        fault := gnomon_data.field_fault('GN015', pointer, 'must name at least one weekday',
            'leave it out for the weekday of the first day');
        return;
    end if;
    days := '0000000';
    for n in 0..jsonb_array_length(given) - 1 loop
        item := given->n;
        item_pointer := pointer || '/' || n;
        if jsonb_typeof(item) <> 'string' then
            fault := gnomon_data.field_fault('GN024', item_pointer, 'must be a name MON to SUN, not ' || left(item::text, 64));
        elsif array_position(names, item #>> '{}') is null then
            fault := gnomon_data.field_fault('GN015', item_pointer,
                format('must be one of %s, not %s', array_to_string(names, ', '), gnomon_data.quoted(item #>> '{}')),
                'did you mean ' || (select k from unnest(names) as k where k = upper(left(item #>> '{}', 3))));
        end if;
        exit when fault.code is not null;
        days := overlay(days placing '1' from array_position(names, item #>> '{}'));
    end loop;
end
$$;

comment on function gnomon_data.read_weekdays(jsonb, text) is
    'Reads names MON to SUN into seven characters, 1 where one is named; GN024 for other types, GN015 for other names and none at all.';
