-- Weeks begin on Monday (0001-01-01 was one), or on week_start, and count from the week of the anchor, as RFC 5545 has it:
-- every 2 weeks on MON and FRI from a Wednesday is that week's Friday, then Monday and Friday of the week after next.
-- While a rule has no anchor yet, `every` holds nothing back: that is how anchor_rule finds the first day.
create or replace function gnomon_data.next_step_day(rule jsonb, from_on date) returns date
language plpgsql immutable parallel safe
as $$
declare
    anchor constant int := (rule->>'anchor')::date - date '0001-01-01';
    every constant int := (rule->'every')::int;
    day int := from_on - date '0001-01-01';
    first_weekday int;
    weeks_off int;
begin
    if rule->>'kind' = 'daily' then
        return from_on + coalesce(mod(every - mod(day - anchor, every), every), 0);
    end if;
    -- The days written twice, seen from today's place on: the first 1 is as many days away.
    day := day + strpos(substr(repeat(rule->>'days', 2), mod(day, 7) + 1), '1') - 1;
    if anchor is not null then
        first_weekday := coalesce((rule->'week_start')::int, 1) - 1;
        weeks_off := mod(every + mod((day - first_weekday) / 7 - (anchor - first_weekday) / 7, every), every);
        if weeks_off > 0 then
            day := ((day - first_weekday) / 7 + every - weeks_off) * 7 + first_weekday;
            day := day + strpos(substr(repeat(rule->>'days', 2), mod(day, 7) + 1), '1') - 1;
        end if;
    end if;
    return date '0001-01-01' + day;
end
$$;

comment on function gnomon_data.next_step_day(jsonb, date) is
    'The first date on or after from_on of a daily or weekly rule, by days or weeks counted from its anchor alone.';
