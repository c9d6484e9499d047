-- The rule before it has a first day: what fill_rule will take from that day holds nothing back yet.
create or replace function gnomon_data.free_rule(rule jsonb) returns jsonb
language plpgsql immutable parallel safe
as $$
begin
    if rule->>'kind' = 'weekly' and not rule ? 'days' then
        return rule || jsonb '{"kind": "daily"}';
    elsif rule->>'kind' in ('monthly', 'yearly') and not rule ?| array['month_days', 'nth', 'nth_of_year', 'days'] then
        return (rule - 'set_pos') || jsonb '{"kind": "monthly", "days": "1111111"}';
    elsif rule->>'kind' = 'yearly' and not rule ? 'months' then
        return rule || jsonb '{"kind": "monthly"}';
    end if;
    return rule;
end
$$;

comment on function gnomon_data.free_rule(jsonb) is 'A compiled rule in which every day may be the first that the words leave open.';
