-- What this version has not built is refused by its name and never accepted and ignored: an exclude_dates that nobody
-- reads would fire on a holiday.
create or replace function gnomon_data.recurrence_fault(request jsonb, words jsonb) returns gnomon_data.fault
language plpgsql immutable parallel safe
as $$
declare
    built constant text[] := array['pattern', 'interval', 'weekdays', 'start_date', 'end_date', 'end_after', 'cron_expr'];
    later constant text[] := array['days_of_month', 'nth', 'on_missing_day', 'every', 'rrule', 'exclude_dates',
        'exclude_calendars'];
    pattern constant text := words->>'pattern';
    field text;
    fault gnomon_data.fault;
begin
    fault := gnomon_data.type_fault(words, '/recurrence', 'string', array['pattern', 'start_date', 'end_date', 'cron_expr']);
    if fault.code is not null then
        return fault;
    elsif pattern is null then
        return gnomon_data.field_fault('GN024', '/recurrence/pattern', 'is required', 'daily, weekly or cron');
    elsif pattern in ('monthly', 'yearly', 'elapsed', 'rrule') then
        return gnomon_data.field_fault('GN028', '/recurrence/pattern', pattern || ' is not available in this version',
            'available: daily, weekly, cron');
    elsif pattern not in ('daily', 'weekly', 'cron') then
        return gnomon_data.field_fault('GN015', '/recurrence/pattern', 'must be daily, weekly or cron, not ' || gnomon_data.quoted(pattern));
    end if;
    if words - built <> jsonb '{}' then
        select min(k) into field from jsonb_object_keys(words - built) as k;
        return case when field = any (later)
            then gnomon_data.field_fault('GN028', '/recurrence/' || field, 'is not available in this version',
                'available: ' || array_to_string(built, ', '))
            else gnomon_data.field_fault('GN024', '/recurrence/' || replace(replace(left(field, 64), '~', '~0'), '/', '~1'),
                'is not a field of a recurrence', 'fields: ' || array_to_string(built, ', ')) end;
    elsif words ? 'weekdays' and pattern <> 'weekly' then
        return gnomon_data.field_fault('GN015', '/recurrence/weekdays', format('goes with pattern weekly, not %s', pattern));
    elsif words ? 'start_date' and request ? 'schedule_date' and words->>'start_date' <> request->>'schedule_date' then
        return gnomon_data.field_fault('GN015', '/recurrence/start_date',
            format('%s differs from schedule_date %s, which says the same', gnomon_data.quoted(words->>'start_date'),
                gnomon_data.quoted(request->>'schedule_date')), 'give one of them');
    elsif pattern = 'cron' or words ? 'cron_expr' then
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
    'What is wrong with the fields of a recurrence before any of them is read: unknown, not available, missing, contradicting.';
