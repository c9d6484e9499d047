create or replace function gnomon_data.compile_recurrence(request jsonb, out rule jsonb, out fault gnomon_data.fault)
language plpgsql stable parallel safe
as $$
declare
    words constant jsonb := jsonb_strip_nulls(request->'recurrence');
    start_text constant text := coalesce(words->>'start_date', request->>'schedule_date');
    part record;
    local_time time;
    every int;
    end_after int;
    start_on date;
    end_on date;
    days text;
    cron jsonb;
begin
    fault := gnomon_data.recurrence_fault(request, words);
    if fault.code is null and words ? 'cron_expr' then
        part := gnomon_data.compile_cron(words->>'cron_expr', '/recurrence/cron_expr');
        cron := part.rule;
        fault := part.fault;
    elsif fault.code is null then
        part := gnomon_data.read_local_time(request->>'schedule_at', '/schedule_at');
        local_time := part.local_time;
        fault := part.fault;
    end if;
    if fault.code is null and start_text is not null then
        part := gnomon_data.read_date(start_text,
            case when words ? 'start_date' then '/recurrence/start_date' else '/schedule_date' end);
        start_on := part.on_date;
        fault := part.fault;
    end if;
    if fault.code is null and words ? 'end_date' then
        part := gnomon_data.read_date(words->>'end_date', '/recurrence/end_date');
        end_on := part.on_date;
        fault := part.fault;
    end if;
    if fault.code is null and words ? 'interval' then
        part := gnomon_data.read_count(words->'interval', '/recurrence/interval', 1000);
        every := part.count;
        fault := part.fault;
    end if;
    if fault.code is null and words ? 'end_after' then
        part := gnomon_data.read_count(words->'end_after', '/recurrence/end_after', 1000000000);
        end_after := part.count;
        fault := part.fault;
    end if;
    if fault.code is null and words ? 'weekdays' then
        part := gnomon_data.read_weekdays(words->'weekdays', '/recurrence/weekdays');
        days := part.days;
        fault := part.fault;
    end if;
    if fault.code is null and start_on > end_on then
        fault := gnomon_data.field_fault('GN012', '/recurrence/end_date',
            format('%s is before the first day %s: the rule never fires', words->>'end_date', start_text));
    end if;
    if words->>'pattern' = 'weekly' and days is null then
        days := overlay('0000000' placing '1' from extract(isodow from start_on)::int);
    end if;
    rule := jsonb_strip_nulls(jsonb_build_object(
        'kind', words->>'pattern', 'time', local_time::text, 'days', days, 'every', nullif(every, 1),
        'anchor', case when every > 1 then start_text end, 'start', start_text, 'end', words->>'end_date', 'end_after', end_after))
        || coalesce(cron, '{}');
end
$$;

comment on function gnomon_data.compile_recurrence(jsonb) is 'compile_rule for a request with a recurrence: daily or weekly.';
