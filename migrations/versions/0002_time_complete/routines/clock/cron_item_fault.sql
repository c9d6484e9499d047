-- What people write who know another cron: each gets the way to say it here.
create or replace function gnomon_data.cron_item_fault(item text, field int, pointer text) returns gnomon_data.fault
language plpgsql immutable parallel safe
as $$
declare
    names constant text[] := array['minute', 'hour', 'day of month', 'month', 'day of week'];
    takes constant text := (array['0 to 59', '0 to 23', '1 to 31 or L', '1 to 12 or JAN to DEC', '0 to 7 or SUN to SAT, 5L, 5#2'])[field];
    -- Of a week that goes over its end, the second range begins on Monday.
    bottom constant int := case when field < 3 then 0 else 1 end;
    highs constant text[] := array['59', '23', '31', '12', '7'];
    size constant int := (array[60, 24, 31, 12, 7])[field];
    range constant text[] := regexp_match(item, '^([0-9]{1,2}|[a-z]{3})-([0-9]{1,2}|[a-z]{3})(/[0-9]+)?$', 'i');
    step constant text := substring(item from '/(.*)$');
    expected text := takes;
    hint text;
begin
    if item = '' then
        expected := takes || ' between the commas';
        hint := 'leave the extra comma out';
    elsif range is not null and gnomon_data.cron_value(range[1], field) > gnomon_data.cron_value(range[2], field)
          and gnomon_data.cron_value(range[1], field) <= highs[field]::int then
        expected := 'a range that goes up';
        hint := case
            when field = 5 and gnomon_data.cron_value(range[2], field) = 0 then format('use %s-7%s', range[1], range[3])
            else format('use two ranges: %s-%s%s,%s%s%s', range[1],
                case when range[1] ~ '^[0-9]' then highs[field] when field = 5 then 'SUN' else 'DEC' end, range[3],
                case when gnomon_data.cron_value(range[2], field) > bottom then
                    case when range[2] ~ '^[0-9]' then bottom::text when field = 5 then 'MON' else 'JAN' end || '-' end,
                range[2], range[3]) end;
    elsif item ~ '/' and (step !~ '^[0-9]{1,2}$' or step::int not between 1 and size) then
        expected := format('a step from 1 to %s', size);
        hint := case when step ~ '^[0-9]+$' and step::numeric > size then 'for longer intervals use pattern elapsed' end;
    elsif item ~ '^/' then
        expected := 'a value before the step';
        hint := '*' || left(item, 16);
    elsif item ~* '^L?W$|^[0-9]+W$|^W[0-9]*$' then
        hint := case when field = 3 and item ~* 'L' then 'the last weekday of a month is not supported: use L for its last day or 5L for its last Friday'
            else 'the nearest weekday is not supported: use the day itself, or 1-5 in day of week' end;
    elsif item ~ '^H([(/]|$)' then
        hint := 'say the value itself; window spreads what is due at one time';
    elsif item ~ '~' then
        hint := 'random values are not supported: window spreads what is due at one time';
    elsif item ~ '^[?]' then
        hint := case when field in (3, 5) then '? stands alone' else 'use *' end;
    elsif item ~* '^L-[0-9]+$' then
        hint := format('use pattern monthly with days_of_month [-%s]', least(substring(item from '[0-9]{1,2}')::int + 1, 31));
    elsif item ~* '^L$' then
        hint := case when field = 5 then 'say of which day: 5L is the last Friday' else 'L goes with day of month' end;
    elsif item ~* '^(SUN|MON|TUES|WEDNES|THURS|FRI|SATUR)DAY' then
        hint := 'use ' || upper(left(item, 3)) || case when field = 5 then '' else ' in day of week' end;
    elsif item ~* '^(JANUARY|FEBRUARY|MARCH|APRIL|JUNE|JULY|AUGUST|SEPTEMBER|OCTOBER|NOVEMBER|DECEMBER)' then
        hint := 'use ' || upper(left(item, 3)) || case when field = 4 then '' else ' in month' end;
    elsif field <> 5 and item ~* '^(SUN|MON|TUE|WED|THU|FRI|SAT)\M' then
        hint := 'weekdays go with day of week, the fifth field';
    elsif field <> 4 and item ~* '^(JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)\M' then
        hint := 'names of months go with month, the fourth field';
    elsif item ~ '#' then
        hint := case when field <> 5 then '# goes with day of week' when item ~* '#L$' then 'use ' || left(item, strpos(item, '#') - 1) || 'L'
            else 'the first to fifth of a month: 5#1 to 5#5' end;
    elsif item ~ '^-' or item ~ '^[0-9]+[.][0-9]' then
        expected := 'whole numbers, ' || takes;
    elsif item ~ '[^\x01-\x7f]' then
        expected := takes || ' in ASCII';
    elsif field = 2 and item ~ '^24$' then
        hint := 'midnight is 0';
    end if;
    return gnomon_data.field_fault('GN011', pointer,
        format('has %s (%s), expected %s', gnomon_data.quoted(item), names[field], expected), hint);
end
$$;

comment on function gnomon_data.cron_item_fault(text, int, text) is 'GN011 for one item of field 1 to 5: the item, the field, what was expected, and a hint.';
