-- Walks months, or years where the rule chooses among the days of a whole year. Months are counted from year 0; `every` is
-- a jump and no walk. The search reaches 52 years beyond the first period that `every` allows: 29 February on a Monday
-- comes every 28 years, every 40 around 2100.
create or replace function gnomon_data.next_month_day(rule jsonb, from_on date) returns date
language plpgsql immutable parallel safe
as $$
declare
    months constant text := repeat(coalesce(rule->>'months', '111111111111'), 2);
    every constant int := (rule->'every')::int;
    is_yearly constant boolean := rule->>'kind' = 'yearly';
    of_year constant boolean := is_yearly and (rule ? 'set_pos' or rule ? 'nth_of_year');
    unit constant int := case when is_yearly then 12 else 1 end;
    anchor_on constant date := (rule->>'anchor')::date;
    month int := extract(year from from_on)::int * 12 + extract(month from from_on)::int - 1;
    last_month int;
    ahead int;
    days int[];
    day int;
    found date;
begin
    loop
        if anchor_on is not null then
            ahead := mod(every - mod(month / unit - (extract(year from anchor_on)::int * 12 + extract(month from anchor_on)::int - 1) / unit, every), every);
            month := case when ahead = 0 then month else (month / unit + ahead) * unit end;
        end if;
        last_month := coalesce(last_month, month + 52 * 12);
        if month > last_month or month >= 120000 then
            return null;
        elsif of_year then
            select min(d) into found from unnest(gnomon_data.days_of_year(rule, month / 12)) as d where d >= from_on;
            if found is not null then
                return found;
            end if;
            month := (month / 12 + 1) * 12;
            continue;
        end if;
        ahead := strpos(substr(months, mod(month, 12) + 1), '1') - 1;
        if ahead > 0 then
            month := month + ahead;
            continue;
        end if;
        found := make_date(month / 12, mod(month, 12) + 1, 1);
        days := gnomon_data.days_of_month(rule, found);
        if days is null then
            -- Left to the first day, and there is none before the end.
            return null;
        end if;
        if rule ? 'set_pos' then
            days := gnomon_data.chosen_days(days, rule->'set_pos');
        end if;
        foreach day in array days loop
            if found + day - 1 >= from_on then
                return found + day - 1;
            end if;
        end loop;
        month := month + 1;
    end loop;
end
$$;

comment on function gnomon_data.next_month_day(jsonb, date) is
    'next_day for monthly and yearly rules, without start and end; null when the rule has no day within 52 years.';
