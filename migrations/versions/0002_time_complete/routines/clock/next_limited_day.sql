-- daily and weekly rules that RFC 5545 limits further: "every second day, but only in March". The walk jumps over months
-- that are out and reaches 52 years.
create or replace function gnomon_data.next_limited_day(rule jsonb, from_on date) returns date
language plpgsql immutable parallel safe
as $$
declare
    bare constant jsonb := rule - case rule->>'kind' when 'daily' then 'days' else '' end;
    day date := from_on;
begin
    loop
        day := gnomon_data.next_step_day(bare, day);
        if day is null or day > from_on + 19000 then
            return null;
        elsif substr(rule->>'months', extract(month from day)::int, 1) = '0' then
            day := (date_trunc('month', day::timestamp) + interval '1 month')::date;
        elsif rule->>'kind' = 'daily' and substr(rule->>'days', extract(isodow from day)::int, 1) = '0'
           or rule ? 'month_days' and not extract(day from day)::int = any (
                gnomon_data.days_of_month(rule - 'days', date_trunc('month', day::timestamp)::date)) then
            day := day + 1;
        else
            return day;
        end if;
    end loop;
end
$$;

comment on function gnomon_data.next_limited_day(jsonb, date) is
    'next_day for daily and weekly rules with months, month_days or, daily, days; null when there is none within 52 years.';
