create or replace function gnomon_data.compile_recurrence(request jsonb, out rule jsonb, out fault gnomon_data.fault)
language plpgsql stable parallel safe
as $$
declare
    words constant jsonb := jsonb_strip_nulls(request->'recurrence');
    pattern constant text := words->>'pattern';
    limits jsonb;
    part record;
begin
    fault := gnomon_data.recurrence_fault(request, words);
    if fault.code is null and pattern not in ('elapsed', 'cron') then
        part := gnomon_data.read_local_time(request->>'schedule_at', '/schedule_at');
        rule := jsonb_build_object('time', part.local_time::text);
        fault := part.fault;
    end if;
    if fault.code is null then
        part := gnomon_data.compile_limits(request, words);
        limits := part.rule;
        fault := part.fault;
    end if;
    if fault.code is null then
        case pattern
        when 'elapsed' then part := gnomon_data.compile_elapsed(request, words);
        when 'cron' then part := gnomon_data.compile_cron(words->>'cron_expr', '/recurrence/cron_expr');
        when 'rrule' then part := gnomon_data.compile_rrule(words, (rule->>'time')::time, (limits->>'start')::date);
        else part := gnomon_data.compile_days(words, (limits->>'start')::date);
        end case;
        rule := coalesce(rule, '{}') || limits || part.rule;
        fault := part.fault;
    end if;
    if fault.code is null and rule ? 'every' and rule ? 'start' then
        rule := rule || jsonb_build_object('anchor', rule->'start');
    end if;
    if fault.code is null and rule ? 'count' and rule ? 'start' then
        part := gnomon_data.end_of_count(rule);
        rule := part.ended;
        fault := part.fault;
    end if;
    if fault.code is null and rule->>'start' > rule->>'end' then
        fault := gnomon_data.field_fault('GN012', case when words ? 'end_date' then '/recurrence/end_date' else '/recurrence/rrule' end,
            format('ends on %s, before the first day %s: the rule never fires', rule->>'end', rule->>'start'));
    end if;
end
$$;

comment on function gnomon_data.compile_recurrence(jsonb) is 'compile_rule for a request with a recurrence.';
