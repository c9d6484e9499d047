-- The calendar half of cron. Dates that come rarely are found month by month, and months that the rule has not are jumped
-- over: 29 February is eight looks away at most, never 1,461 days or two million minutes. In a month the mask of dates and
-- that of weekdays are laid over each other.
create or replace function gnomon_data.next_cron_day(rule jsonb, from_on date) returns date
language plpgsql immutable parallel safe
as $$
declare
    -- A 29 February on a Sunday may be 40 years away (2088 to 2128); 52 cover every date there is.
    last_on constant date := least(from_on + 52 * 366, date '9999-12-31');
    months constant text := rule->>'months';
    dates constant text := rule->>'dates';
    days constant text := rule->>'days';
    nth constant jsonb := rule->'nth';
    day date := from_on;
    year int;
    month int;
    first_on date;
    length int;
    in_dates text;
    in_days text;
    found int;
begin
    if months is null and dates is null and nth is null then
        return from_on + case when days is null then 0
            else strpos(substr(repeat(days, 2), extract(isodow from from_on)::int), '1') - 1 end;
    end if;
    year := extract(year from day)::int;
    month := extract(month from day)::int;
    loop
        if substr(months, month, 1) = '0' then
            found := strpos(substr(months, month + 1), '1');
            if found = 0 then
                year := year + 1;
                month := strpos(months, '1');
            else
                month := month + found;
            end if;
            exit when year > 9999;
            day := make_date(year, month, 1);
        end if;
        exit when day > last_on;
        first_on := make_date(year, month, 1);
        length := case when month in (4, 6, 9, 11) then 30 when month <> 2 then 31
            when year % 4 = 0 and (year % 100 <> 0 or year % 400 = 0) then 29 else 28 end;
        in_dates := case when dates is not null then left(dates, length) end;
        if rule ? 'last_day' then
            in_dates := overlay(in_dates placing '1' from length);
        end if;
        in_days := case when days is not null then substr(repeat(days, 6), extract(isodow from first_on)::int, length) end;
        if nth is not null then
            in_days := gnomon_data.place_nth(nth, in_days, extract(isodow from first_on)::int);
        end if;
        if in_dates is null or in_days is null then
            in_dates := coalesce(in_dates, in_days, repeat('1', length));
        elsif rule ? 'day_and' then
            in_dates := (in_dates::varbit & in_days::varbit)::text;
        else
            in_dates := (in_dates::varbit | in_days::varbit)::text;
        end if;
        found := strpos(substr(in_dates, day - first_on + 1), '1');
        if found > 0 then
            return day + found - 1;
        end if;
        year := year + month / 12;
        month := month % 12 + 1;
        exit when year > 9999;
        day := make_date(year, month, 1);
    end loop;
    return null;
end
$$;

comment on function gnomon_data.next_cron_day(jsonb, date) is
    'The first date on or after from_on that the day fields of a compiled cron rule have; null when none comes within 52 years.';
