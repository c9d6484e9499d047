create or replace function gnomon_data.cron_fields_fault(request jsonb, words jsonb) returns gnomon_data.fault
language plpgsql immutable parallel safe
as $$
begin
    return case
        when not words ? 'cron_expr' then gnomon_data.field_fault('GN024', '/recurrence/cron_expr', 'is required',
            'five fields: minute, hour, day of month, month, day of week, such as "0 9 * * 1"')
        when request ? 'schedule_at' then gnomon_data.field_fault('GN024', '/schedule_at', 'does not go with pattern cron',
            'leave it out: cron_expr says the minutes and hours')
        when request->>'schedule_type' <> 'user_local_time' then gnomon_data.field_fault('GN024', '/schedule_type',
            request->>'schedule_type' || ' contradicts recurrence.pattern cron', 'cron is read on a local clock: user_local_time')
    end;
end
$$;

comment on function gnomon_data.cron_fields_fault(jsonb, jsonb) is
    'What is wrong with the fields that pattern cron needs or forbids: cron_expr missing, or a time said beside it.';
