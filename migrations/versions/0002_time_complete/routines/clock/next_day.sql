-- The calendar half of a rule: which local dates it has, without zone and without clock. Only date arithmetic here:
-- a timestamptz plus a day drifts for good once it has passed a gap.
create or replace function gnomon_data.next_day(rule jsonb, from_on date) returns date
language plpgsql stable parallel safe
as $$
declare
    end_on constant date := coalesce((rule->>'end')::date, date '9999-12-31');
    has_exclusions constant boolean := rule ?| array['not', 'calendars'];
    kind constant text := rule->>'kind';
    day date := greatest(from_on, (rule->>'start')::date);
begin
    loop
        case
        when kind in ('monthly', 'yearly') then
            day := gnomon_data.next_month_day(rule, day);
        when kind = 'cron' then
            day := gnomon_data.next_cron_day(rule, day);
        when kind = 'once' then
            day := case when day <= (rule->>'date')::date then (rule->>'date')::date end;
        when rule ?| array['months', 'month_days'] or kind = 'daily' and rule ? 'days' then
            day := gnomon_data.next_limited_day(rule, day);
        else
            day := gnomon_data.next_step_day(rule, day);
        end case;
        if day is null or day > end_on then
            return null;
        elsif not has_exclusions or not gnomon_data.is_excluded(rule, day) then
            return day;
        end if;
        day := day + 1;
    end loop;
end
$$;

comment on function gnomon_data.next_day(jsonb, date) is
    'The first date on or after from_on that the compiled rule has and does not leave out; null when there is none.';
