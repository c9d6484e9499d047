-- What the words of a rule leave to its first day: the weekday of weekly, the day of monthly, month and day of yearly.
create or replace function gnomon_data.fill_rule(rule jsonb, first_on date) returns jsonb
language plpgsql immutable parallel safe
as $$
begin
    if rule->>'kind' = 'weekly' and not rule ? 'days' then
        rule := rule || jsonb_build_object('days', overlay('0000000' placing '1' from extract(isodow from first_on)::int));
    elsif rule->>'kind' in ('monthly', 'yearly') and not rule ?| array['month_days', 'nth', 'nth_of_year', 'days'] then
        rule := rule || jsonb_build_object('month_days', jsonb_build_array(extract(day from first_on)::int));
    end if;
    if rule->>'kind' = 'yearly' and not rule ? 'months' then
        rule := rule || jsonb_build_object('months', overlay('000000000000' placing '1' from extract(month from first_on)::int));
    end if;
    return rule;
end
$$;

comment on function gnomon_data.fill_rule(jsonb, date) is 'A compiled rule with nothing left to the first day, which is first_on.';
