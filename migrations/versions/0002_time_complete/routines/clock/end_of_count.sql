-- COUNT of RFC 5545 belongs to the dates of the rule, counted from its first day on, whatever has become of them: so it is
-- a last date, found once, and firing has nothing to count. Dates left out by exclude_dates count, as those of EXDATE do.
create or replace function gnomon_data.end_of_count(rule jsonb, out ended jsonb, out fault gnomon_data.fault)
language plpgsql stable parallel safe
as $$
declare
    counted constant jsonb := rule - array['end', 'not', 'calendars'];
    start_on constant date := (rule->>'start')::date;
    day date := start_on - 1;
begin
    ended := rule - 'count';
    for n in 1..(rule->'count')::int loop
        day := gnomon_data.next_day(counted, day + 1);
        exit when day is null;
        if day > start_on + 36525 then
            fault := gnomon_data.field_fault('GN015', '/recurrence/rrule', format('COUNT=%s reaches further than 100 years', rule->>'count'),
                'leave COUNT out, or give UNTIL');
            return;
        end if;
    end loop;
    if day is not null then
        ended := ended || jsonb_build_object('end', least(rule->>'end', to_char(day::timestamp, 'YYYY-MM-DD')));
    end if;
end
$$;

comment on function gnomon_data.end_of_count(jsonb) is 'A rule with count and start as the same rule with the end that they make.';
