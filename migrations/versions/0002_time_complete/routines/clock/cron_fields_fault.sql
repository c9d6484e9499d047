create or replace function gnomon_data.cron_fields_fault(request jsonb, words jsonb) returns gnomon_data.fault
language plpgsql immutable parallel safe
as $$
declare
    beside constant text[] := array['pattern', 'cron_expr', 'start_date', 'end_date', 'end_after', 'exclude_dates', 'exclude_calendars'];
    field text;
begin
    select min(k) into field from jsonb_object_keys(words - beside) as k;
    return case
        when words->>'pattern' <> 'cron' then gnomon_data.field_fault('GN015', '/recurrence/cron_expr',
            format('goes with pattern cron, not %s', words->>'pattern'))
        when not words ? 'cron_expr' then gnomon_data.field_fault('GN024', '/recurrence/cron_expr', 'is required',
            'five fields: minute, hour, day of month, month, day of week, such as "0 9 * * 1"')
        when field is not null then gnomon_data.field_fault('GN015', '/recurrence/' || field, 'does not go with pattern cron',
            'cron_expr says it all but start_date, end_date, end_after and exclusions')
        when request ? 'schedule_at' then gnomon_data.field_fault('GN024', '/schedule_at', 'does not go with pattern cron',
            'leave it out: cron_expr says the minutes and hours')
        when request->>'schedule_type' <> 'user_local_time' then gnomon_data.field_fault('GN024', '/schedule_type',
            request->>'schedule_type' || ' contradicts recurrence.pattern cron', 'cron is read on a local clock: user_local_time')
    end;
end
$$;

comment on function gnomon_data.cron_fields_fault(jsonb, jsonb) is
    'What is wrong with the fields beside a cron_expr: missing, of another pattern, or saying a time themselves.';
