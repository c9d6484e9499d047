-- Without a start_date a rule begins on the first day it can fire: that day is the default of weekly, monthly and yearly,
-- `every` and `count` count from it. Asked after the offset: 23:58 + PT5M made at 00:01 still has the day before.
create or replace function gnomon_data.anchor_rule(rule jsonb, time_zone text, after_utc timestamptz) returns jsonb
language plpgsql stable parallel safe
as $$
declare
    free constant jsonb := gnomon_data.free_rule(rule);
    first_on date;
begin
    if rule->>'kind' = 'elapsed' then
        return case when rule ? 'from' then rule else (rule - 'in') || jsonb_build_object('from',
            gnomon_data.instant_text(after_utc + make_interval(secs => coalesce((rule->'in')::float8, 0)))) end;
    elsif free = rule and not rule ? 'count' and (rule ? 'anchor' or not rule ? 'every') then
        return rule;
    end if;
    first_on := (gnomon_data.next_occurrence(free - 'until', time_zone, after_utc)).nominal_local::date;
    if first_on is null then
        return rule;
    end if;
    rule := gnomon_data.fill_rule(rule, first_on);
    if rule ? 'every' and not rule ? 'anchor' then
        rule := rule || jsonb_build_object('anchor', to_char(first_on::timestamp, 'YYYY-MM-DD'));
    end if;
    if rule ? 'count' then
        rule := (gnomon_data.end_of_count(rule || jsonb_build_object('start', to_char(first_on::timestamp, 'YYYY-MM-DD')))).ended;
    end if;
    return rule;
end
$$;

comment on function gnomon_data.anchor_rule(jsonb, text, timestamptz) is
    'Fills what a compiled rule leaves to the first day it can fire after after_utc, and the day or instant that it counts from.';
