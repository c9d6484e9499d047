-- Counts from schedule_at, or from the acceptance. A local time would need a zone, and the first change of the clocks would
-- leave every later reading an hour off: that is what daily is for.
create or replace function gnomon_data.compile_elapsed(request jsonb, words jsonb, out rule jsonb, out fault gnomon_data.fault)
language plpgsql stable parallel safe
as $$
declare
    part record;
    step numeric;
    start jsonb := '{}';
begin
    if not words ? 'every' then
        fault := gnomon_data.field_fault('GN024', '/recurrence/every', 'is required', 'an ISO 8601 duration such as PT15M');
        return;
    end if;
    part := gnomon_data.read_duration(words->>'every', '/recurrence/every');
    step := extract(epoch from part.duration);
    fault := part.fault;
    if fault.code is null and step < 1 then
        fault := gnomon_data.field_fault('GN015', '/recurrence/every', 'must be PT1S or longer, not ' || gnomon_data.quoted(words->>'every'));
    elsif fault.code is null and request ? 'schedule_at' then
        part := gnomon_data.compile_moment(request);
        start := part.rule;
        fault := part.fault;
        if fault.code is null and start->>'kind' = 'time' then
            fault := gnomon_data.field_fault('GN015', '/schedule_at', 'must be an instant or a duration, or left out: elapsed time has no zone',
                'such as 2027-03-28T09:00:00Z or PT5M; a local time goes with daily or cron');
        end if;
    elsif fault.code is null and request->>'schedule_type' = 'user_local_time' then
        fault := gnomon_data.field_fault('GN024', '/schedule_type', 'user_local_time contradicts recurrence.pattern elapsed', 'leave it out');
    end if;
    rule := jsonb_strip_nulls(jsonb_build_object('kind', 'elapsed', 'step', trim_scale(step), 'from', start->'at', 'in', start->'in'));
end
$$;

comment on function gnomon_data.compile_elapsed(jsonb, jsonb) is 'compile_recurrence for the pattern elapsed.';
