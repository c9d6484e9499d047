-- RFC 5545 by the same kinds as everything else, so that firing knows no RRULE. Dates that do not exist are left out
-- there, never moved to the last of the month; what a rule does not say comes from its first day, as DTSTART says it there.
create or replace function gnomon_data.compile_rrule(words jsonb, at_time time, start_on date, out rule jsonb, out fault gnomon_data.fault)
language plpgsql stable parallel safe
as $$
declare
    part record;
    parts jsonb;
    freq text;
    every int;
    days text;
    nth jsonb;
    of_year boolean;
begin
    part := gnomon_data.read_rrule(words->>'rrule');
    parts := part.parts;
    fault := part.fault;
    if fault.code is null then
        fault := gnomon_data.rrule_fault(words->>'rrule', parts, words);
    end if;
    if fault.code is null then
        part := gnomon_data.rrule_end(parts->>'UNTIL', at_time);
        fault := part.fault;
    end if;
    if fault.code is not null then
        return;
    end if;
    freq := parts->>'FREQ';
    every := coalesce((parts->>'INTERVAL')::int, 1);
    of_year := freq = 'YEARLY' and not parts ? 'BYMONTH';
    select string_agg(case when w.day = any (string_to_array(parts->>'BYDAY', ',')) then '1' else '0' end, '' order by w.place)
      into days from gnomon_data.rrule_weekdays() as w where parts->>'BYDAY' ~ '(^|,)[A-Z]';
    select jsonb_agg(distinct jsonb_build_array(left(d, -2)::int, w.place)) into nth
      from string_to_table(parts->>'BYDAY', ',') as d join gnomon_data.rrule_weekdays() as w on w.day = right(d, 2)
     where length(d) > 2;
    rule := part.rule || jsonb_strip_nulls(jsonb_build_object(
        'kind', case when freq = 'DAILY' and every = 1 and days is not null and not parts ?| array['BYMONTH', 'BYMONTHDAY']
                     then 'weekly' else lower(freq) end,
        'every', nullif(every, 1),
        'count', (parts->>'COUNT')::int,
        'months', case when parts ? 'BYMONTH' then (select string_agg(case when n = any (string_to_array(parts->>'BYMONTH', ',')::int[]) then '1' else '0' end, '' order by n)
                                                      from generate_series(1, 12) as n)
                       when of_year and parts ?| array['BYMONTHDAY', 'BYDAY'] then repeat('1', 12) end,
        'month_days', (select jsonb_agg(distinct d::int) from string_to_table(parts->>'BYMONTHDAY', ',') as d),
        'missing', case when freq <> 'WEEKLY' then 'skip' end,
        'days', case when freq = 'WEEKLY' and parts ? 'BYSETPOS' then gnomon_data.chosen_weekdays(days, parts->>'BYSETPOS', parts->>'WKST') else days end,
        'nth', case when not of_year then nth end, 'nth_of_year', case when of_year then nth end,
        'set_pos', case when freq in ('MONTHLY', 'YEARLY') then (select jsonb_agg(distinct p::int) from string_to_table(parts->>'BYSETPOS', ',') as p) end,
        'week_start', case when freq = 'WEEKLY' and every > 1
                           then (select nullif(w.place, 1) from gnomon_data.rrule_weekdays() as w where w.day = parts->>'WKST') end));
    if rule->>'kind' in ('daily', 'weekly') and not rule ? 'month_days' then
        rule := rule - 'missing';
    end if;
    if rule->>'days' = '0000000' then
        fault := gnomon_data.field_fault('GN012', '/recurrence/rrule', 'has BYSETPOS beyond the days of its week: the rule never fires');
    elsif start_on is not null then
        rule := gnomon_data.fill_rule(rule, start_on);
    end if;
end
$$;

comment on function gnomon_data.compile_rrule(jsonb, time, date) is 'compile_recurrence for the pattern rrule: the kinds daily to yearly, with count where it says COUNT.';
