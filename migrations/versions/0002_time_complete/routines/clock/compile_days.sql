-- daily to yearly. What the words leave to the first day stays open here when there is no start_date; anchor_rule fills it.
create or replace function gnomon_data.compile_days(words jsonb, start_on date, out rule jsonb, out fault gnomon_data.fault)
language plpgsql stable parallel safe
as $$
declare
    kind constant text := words->>'pattern';
    every int;
    part record;
begin
    rule := jsonb_build_object('kind', kind);
    if words ? 'interval' then
        part := gnomon_data.read_count(words->'interval', '/recurrence/interval', 1000);
        every := part.count;
        fault := part.fault;
    end if;
    if fault.code is null and words ? 'weekdays' then
        part := gnomon_data.read_weekdays(words->'weekdays', '/recurrence/weekdays');
        rule := rule || jsonb_build_object('days', part.days);
        fault := part.fault;
    end if;
    if fault.code is null and kind in ('monthly', 'yearly') then
        part := gnomon_data.compile_month_words(words);
        rule := rule || part.rule;
        fault := part.fault;
    end if;
    if fault.code is not null then
        return;
    end if;
    if every > 1 then
        rule := rule || jsonb_build_object('every', every);
    end if;
    if start_on is not null then
        rule := gnomon_data.fill_rule(rule, start_on);
    end if;
end
$$;

comment on function gnomon_data.compile_days(jsonb, date) is 'compile_recurrence for the patterns daily, weekly, monthly and yearly.';
