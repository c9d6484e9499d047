create or replace function gnomon_data.compile_recurrence(request jsonb, out rule jsonb, out fault gnomon_data.fault)
language plpgsql stable parallel safe
as $$
declare
    words constant jsonb := jsonb_strip_nulls(request->'recurrence');
    start_text constant text := coalesce(words->>'start_date', request->>'schedule_date');
    local_time time;
    every int;
    end_after int;
    start_on date;
    end_on date;
    days text;
begin
    fault := gnomon_data.recurrence_fault(request, words);
    if (fault).code is null then
        select t.local_time, t.fault into local_time, fault from gnomon_data.read_local_time(request->>'schedule_at', '/schedule_at') as t;
    end if;
    if (fault).code is null then
        select d.on_date, d.fault into start_on, fault from gnomon_data.read_date(
            start_text, case when words ? 'start_date' then '/recurrence/start_date' else '/schedule_date' end) as d;
    end if;
    if (fault).code is null and words ? 'end_date' then
        select d.on_date, d.fault into end_on, fault from gnomon_data.read_date(words->>'end_date', '/recurrence/end_date') as d;
    end if;
    if (fault).code is null and words ? 'interval' then
        select c.count, c.fault into every, fault from gnomon_data.read_count(words->'interval', '/recurrence/interval', 1000) as c;
    end if;
    if (fault).code is null and words ? 'end_after' then
        select c.count, c.fault into end_after, fault from gnomon_data.read_count(words->'end_after', '/recurrence/end_after', 1000000000) as c;
    end if;
    if (fault).code is null and words ? 'weekdays' then
        select w.days, w.fault into days, fault from gnomon_data.read_weekdays(words->'weekdays', '/recurrence/weekdays') as w;
    end if;
    if (fault).code is null and start_on > end_on then
        fault := gnomon_data.field_fault('GN012', '/recurrence/end_date', format('%s is before the first day %s: the rule never fires', words->>'end_date', start_text));
    end if;
    if words->>'pattern' = 'weekly' and days is null then
        days := overlay('0000000' placing '1' from extract(isodow from start_on)::int);
    end if;
    rule := jsonb_strip_nulls(jsonb_build_object('kind', words->>'pattern', 'time', local_time::text, 'days', days, 'every', nullif(every, 1),
        'anchor', case when every > 1 then to_char(start_on, 'YYYY-MM-DD') end, 'start', to_char(start_on, 'YYYY-MM-DD'),
        'end', to_char(end_on, 'YYYY-MM-DD'), 'end_after', end_after));
end
$$;

comment on function gnomon_data.compile_recurrence(jsonb) is 'compile_rule for a request with a recurrence: daily or weekly.';
