-- The one table of which field goes with which pattern. An expression without a table, since every recurrence asks it.
create or replace function gnomon_data.recurrence_fields(pattern text) returns text[]
language sql immutable parallel safe
as $$
    select case
        when pattern = 'elapsed' then array['pattern', 'end_after', 'every']
        when pattern in ('daily', 'weekly', 'monthly', 'yearly', 'cron', 'rrule') then array['pattern', 'end_after', 'start_date', 'end_date', 'exclude_dates', 'exclude_calendars'] || case pattern
            when 'daily' then array['interval']
            when 'weekly' then array['interval', 'weekdays']
            when 'monthly' then array['interval', 'days_of_month', 'nth', 'on_missing_day']
            when 'yearly' then array['interval', 'days_of_month', 'nth', 'on_missing_day']
            when 'cron' then array['cron_expr']
            when 'rrule' then array['rrule'] end end
$$;

comment on function gnomon_data.recurrence_fields(text) is 'The fields that a recurrence of this pattern may have; null when there is no such pattern.';
