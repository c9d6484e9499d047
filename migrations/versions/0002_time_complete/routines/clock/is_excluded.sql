-- The date is the rule's, not the one that the wall shows after a gap that ends on the next day.
create or replace function gnomon_data.is_excluded(rule jsonb, day date) returns boolean
language sql stable parallel safe
as $$
    select coalesce(rule->'not' ? to_char(day::timestamp, 'YYYY-MM-DD'), false)
        or exists (select from gnomon_data.calendars as c
                    where c.calendar = any (array(select jsonb_array_elements_text(rule->'calendars'))) and day = any (c.closed_on))
$$;

comment on function gnomon_data.is_excluded(jsonb, date) is 'Whether a compiled rule leaves this date out, by its own dates or by its calendars.';
