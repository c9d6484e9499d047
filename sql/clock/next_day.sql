-- The calendar half of a rule: which local dates it has, without zone and without clock. Only date arithmetic here:
-- a timestamptz plus a day drifts for good once it has passed a gap.
-- Weeks begin on Monday (0001-01-01 was one) and count from the week of the anchor, as RFC 5545 has it: every 2 weeks
-- on MON and FRI from a Wednesday is that week's Friday, then Monday and Friday of the week after next.
-- While a rule has no anchor yet, `every` holds nothing back: that is how anchor_rule finds the first day.
create or replace function gnomon_data.next_day(rule jsonb, from_on date) returns date
language plpgsql immutable parallel safe
as $$
declare
    anchor constant int := (rule->>'anchor')::date - date '0001-01-01';
    every constant int := (rule->'every')::int;
    day int := greatest(from_on, (rule->>'start')::date) - date '0001-01-01';
    weeks_off int;
begin
    case rule->>'kind'
    when 'daily' then
        if anchor is not null then
            day := day + mod(every - mod(day - anchor, every), every);
        end if;
    when 'weekly' then
        -- The days written twice, seen from today's place on: the first 1 is as many days away.
        day := day + strpos(substr(repeat(rule->>'days', 2), mod(day, 7) + 1), '1') - 1;
        weeks_off := mod(every + mod(day / 7 - anchor / 7, every), every);
        if weeks_off > 0 then
            day := (day / 7 + every - weeks_off) * 7 + strpos(rule->>'days', '1') - 1;
        end if;
    when 'once' then
        day := case when date '0001-01-01' + day <= (rule->>'date')::date then (rule->>'date')::date - date '0001-01-01' end;
    when 'cron' then
        day := gnomon_data.next_cron_day(rule, date '0001-01-01' + day) - date '0001-01-01';
    else
        day := null;
    end case;
    return case when date '0001-01-01' + day <= coalesce((rule->>'end')::date, date '9999-12-31')
                then date '0001-01-01' + day end;
end
$$;

comment on function gnomon_data.next_day(jsonb, date) is
    'The first date on or after from_on that the compiled rule has; null when there is none.';
