-- Without a start_date a rule begins on the first day it can fire: that day's weekday is the default of weekly, and
-- `every` counts from it. Asked after the offset: 23:58 + PT5M made at 00:01 still has the day before.
create or replace function gnomon_data.anchor_rule(rule jsonb, time_zone text, after_utc timestamptz) returns jsonb
language plpgsql stable parallel safe
as $$
declare
    first_on date;
begin
    if rule->>'kind' = 'weekly' and not rule ? 'days' then
        first_on := (gnomon_data.next_occurrence(rule || jsonb '{"kind": "daily"}', time_zone, after_utc)).nominal_local::date;
        rule := rule || jsonb_build_object('days', overlay('0000000' placing '1' from extract(isodow from first_on)::int));
    elsif rule ? 'every' and not rule ? 'anchor' then
        first_on := (gnomon_data.next_occurrence(rule, time_zone, after_utc)).nominal_local::date;
    end if;
    if rule ? 'every' and not rule ? 'anchor' and first_on is not null then
        rule := rule || jsonb_build_object('anchor', to_char(first_on, 'YYYY-MM-DD'));
    end if;
    return rule;
end
$$;

comment on function gnomon_data.anchor_rule(jsonb, text, timestamptz) is
    'Fills the weekday and the day that `every` counts from, where a compiled rule leaves them to the first day it can fire after after_utc.';
