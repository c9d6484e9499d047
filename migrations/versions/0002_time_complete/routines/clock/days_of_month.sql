-- on_missing_day looks at the stored day each time, never at the day before: 31 January, 29 February, 31 March. A day
-- counted from the end that a short month has not is its first day: the nearest there is, as the last is for 31.
create or replace function gnomon_data.days_of_month(rule jsonb, month_on date) returns int[]
language plpgsql immutable parallel safe
as $$
declare
    length constant int := (month_on + interval '1 month')::date - month_on;
    weekday constant int := extract(isodow from month_on);
    listed int[];
    named int[];
    days text;
    n int;
    day int;
begin
    if rule ? 'month_days' then
        listed := '{}';
        for place in 0..jsonb_array_length(rule->'month_days') - 1 loop
            n := (rule->'month_days'->place)::int;
            day := case when n > 0 then n else length + 1 + n end;
            if not rule ? 'missing' then
                day := greatest(1, least(day, length));
            end if;
            if day between 1 and length then
                listed := listed || day;
            end if;
        end loop;
    end if;
    if rule ?| array['nth', 'days'] then
        named := '{}';
        for place in 0..coalesce(jsonb_array_length(rule->'nth'), 0) - 1 loop
            n := (rule->'nth'->place->0)::int;
            -- The first such weekday of the month, and from it by weeks.
            day := 1 + mod((rule->'nth'->place->1)::int - weekday + 7, 7);
            day := day + 7 * (case when n > 0 then n - 1 else (length - day) / 7 + 1 + n end);
            if day between 1 and length then
                named := named || day;
            end if;
        end loop;
        if rule ? 'days' then
            days := substr(repeat(rule->>'days', 6), weekday, length);
            named := named || array(select d from generate_series(1, length) as d where substr(days, d, 1) = '1');
        end if;
    end if;
    if listed is not null and named is not null then
        return array(select distinct d from unnest(listed) as d where d = any (named) order by d);
    end if;
    if listed is null and not rule ? 'nth' then
        return named;
    end if;
    listed := coalesce(listed, named);
    return case when cardinality(listed) < 2 then listed else array(select distinct d from unnest(listed) as d order by d) end;
end
$$;

comment on function gnomon_data.days_of_month(jsonb, date) is
    'The days of the month beginning at month_on that a monthly or yearly rule has, sorted; without its months and positions.';
