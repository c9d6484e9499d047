-- A field of another pattern is refused and never ignored: a days_of_month that a weekly rule does not read would fire on
-- other days than its writer thinks.
create or replace function gnomon_data.recurrence_fault(request jsonb, words jsonb) returns gnomon_data.fault
language plpgsql immutable parallel safe
as $$
declare
    patterns constant text[] := array['daily', 'weekly', 'monthly', 'yearly', 'elapsed', 'cron', 'rrule'];
    pattern constant text := words->>'pattern';
    fields constant text[] := gnomon_data.recurrence_fields(pattern);
    field text;
    goes_with text;
    fault gnomon_data.fault;
begin
    fault := gnomon_data.type_fault(words, '/recurrence', 'string',
        array['pattern', 'start_date', 'end_date', 'on_missing_day', 'every', 'cron_expr', 'rrule']);
    if fault.code is not null then
        return fault;
    elsif pattern is null then
        return gnomon_data.field_fault('GN024', '/recurrence/pattern', 'is required', 'one of ' || array_to_string(patterns, ', '));
    elsif fields is null then
        return gnomon_data.field_fault('GN015', '/recurrence/pattern',
            format('must be one of %s, not %s', array_to_string(patterns, ', '), gnomon_data.quoted(pattern)),
            'did you mean ' || (select p from unnest(patterns) as p where p = lower(pattern)));
    elsif words - fields <> jsonb '{}' then
        select min(k) into field from jsonb_object_keys(words - fields) as k;
        select string_agg(p, ' or ') into goes_with from unnest(patterns) as p where field = any (gnomon_data.recurrence_fields(p));
        return case when goes_with is null
            then gnomon_data.field_fault('GN024', '/recurrence/' || replace(replace(left(field, 64), '~', '~0'), '/', '~1'),
                'is not a field of a recurrence', format('fields of pattern %s: %s', pattern, array_to_string(fields, ', ')))
            else gnomon_data.field_fault('GN015', '/recurrence/' || field, format('goes with pattern %s, not %s', goes_with, pattern),
                case pattern when 'rrule' then 'the rrule text says it'
                             when 'cron' then 'cron_expr says it all but start_date, end_date, end_after and exclusions'
                             when 'elapsed' then 'elapsed time knows no local days; end_after ends it' end) end;
    elsif words ? 'start_date' and request ? 'schedule_date' and words->>'start_date' <> request->>'schedule_date' then
        return gnomon_data.field_fault('GN015', '/recurrence/start_date',
            format('%s differs from schedule_date %s, which says the same', gnomon_data.quoted(words->>'start_date'),
                gnomon_data.quoted(request->>'schedule_date')), 'give one of them');
    elsif pattern = 'elapsed' then
        return null;
    elsif pattern = 'cron' then
        return gnomon_data.cron_fields_fault(request, words);
    elsif not request ? 'schedule_at' then
        return gnomon_data.field_fault('GN024', '/schedule_at', 'is required',
            format('pattern %s fires at a local time HH:MM or HH:MM:SS', pattern));
    elsif request->>'schedule_type' <> 'user_local_time' then
        return gnomon_data.field_fault('GN024', '/schedule_type',
            format('%s contradicts recurrence.pattern %s', request->>'schedule_type', pattern),
            format('pattern %s fires at a local time: user_local_time', pattern));
    end if;
    return null;
end
$$;

comment on function gnomon_data.recurrence_fault(jsonb, jsonb) is
    'What is wrong with the fields of a recurrence before any of them is read: unknown, of another pattern, missing, contradicting.';
