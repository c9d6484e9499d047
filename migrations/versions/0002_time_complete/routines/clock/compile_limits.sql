-- What bounds a rule of any pattern: from when, until when, how often, and what is left out.
create or replace function gnomon_data.compile_limits(request jsonb, words jsonb, out rule jsonb, out fault gnomon_data.fault)
language plpgsql stable parallel safe
as $$
declare
    start_text constant text := coalesce(words->>'start_date', request->>'schedule_date');
    part record;
    dates jsonb;
    names jsonb;
    end_after int;
begin
    if start_text is not null and words->>'pattern' = 'elapsed' then
        fault := gnomon_data.field_fault('GN015', '/schedule_date', 'does not go with pattern elapsed, which knows no local days',
            'give schedule_at as an instant: it counts from there');
    elsif start_text is not null then
        part := gnomon_data.read_date(start_text,
            case when words ? 'start_date' then '/recurrence/start_date' else '/schedule_date' end);
        fault := part.fault;
    end if;
    if fault.code is null and words ? 'end_date' then
        part := gnomon_data.read_date(words->>'end_date', '/recurrence/end_date');
        fault := part.fault;
    end if;
    if fault.code is null and words ? 'end_after' then
        part := gnomon_data.read_count(words->'end_after', '/recurrence/end_after', 1000000000);
        end_after := part.count;
        fault := part.fault;
    end if;
    if fault.code is null and words ? 'exclude_dates' then
        part := gnomon_data.read_dates(words->'exclude_dates', '/recurrence/exclude_dates', 366);
        dates := to_jsonb(part.dates);
        fault := part.fault;
    end if;
    if fault.code is null and words ? 'exclude_calendars' then
        part := gnomon_data.read_calendars(words->'exclude_calendars', '/recurrence/exclude_calendars');
        names := part.names;
        fault := part.fault;
    end if;
    rule := jsonb_strip_nulls(jsonb_build_object('start', start_text, 'end', words->>'end_date', 'end_after', end_after,
        'not', nullif(dates, '[]'), 'calendars', nullif(names, '[]')));
end
$$;

comment on function gnomon_data.compile_limits(jsonb, jsonb) is
    'The part of a compiled rule that bounds it: start, end, end_after, not, calendars.';
