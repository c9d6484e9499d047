-- A few times are listed; many are said by their rhythm where they have one. What begins with "at" stands after the days,
-- a rhythm after a comma.
create or replace function gnomon_data.cron_time_words(minute_mask text, hour_mask text) returns text
language plpgsql immutable parallel safe
as $$
declare
    minutes constant int[] := array(select n from generate_series(0, 59) as n where substr(minute_mask, n + 1, 1) = '1');
    hours constant int[] := array(select n from generate_series(0, 23) as n where substr(hour_mask, n + 1, 1) = '1');
    minute_count constant int := cardinality(minutes);
    hour_count constant int := cardinality(hours);
    minute_step constant int := gnomon_data.even_step(minutes);
    hour_step constant int := gnomon_data.even_step(hours);
    first_at constant text := to_char(make_time(hours[1], minutes[1], 0), 'HH24:MI');
    last_at constant text := to_char(make_time(hours[hour_count], minutes[minute_count], 0), 'HH24:MI');
    is_whole_hour constant boolean := minute_step * minute_count = 60 and minutes[1] = 0;
    is_whole_day constant boolean := hour_step * hour_count = 24;
    past text;
begin
    if minute_count * hour_count <= 4 or minute_count = 1 and hour_step is null then
        return 'at ' || gnomon_data.listed(array(select to_char(make_time(h, m, 0), 'HH24:MI') from unnest(hours) as h, unnest(minutes) as m
                                                  order by h, m));
    elsif is_whole_hour and (hour_step = 1 or hour_count = 1) then
        return 'every ' || case minute_step when 1 then 'minute' else minute_step || ' minutes' end
            || case when is_whole_day then '' else format(' from %s to %s', first_at, last_at) end;
    elsif minute_count = 1 and is_whole_day and hour_step > 1 then
        return format('every %s hours from %s', hour_step, first_at);
    elsif minute_count = 1 and not is_whole_day then
        return format('every %s from %s to %s', case hour_step when 1 then 'hour' else hour_step || ' hours' end, first_at, last_at);
    end if;
    past := case
        when minutes = '{0}' then 'on the hour'
        when is_whole_hour then 'every ' || case minute_step when 1 then 'minute' else minute_step || ' minutes' end
        when minute_count > 4 and minute_step > 1 then format('every %s minutes from %s to %s', minute_step, minutes[1], minutes[minute_count]) || ' past'
        else format('at %s %s past', gnomon_data.mask_words(minute_mask, array(select n::text from generate_series(0, 59) as n)),
            case when minutes = '{1}' then 'minute' else 'minutes' end) end;
    return case
        when is_whole_day and hour_step = 1 then 'every hour, ' || past
        when hour_count = 1 then format('%s %s', past, to_char(make_time(hours[1], 0, 0), 'HH24:MI'))
        else format('%s%s the hours %s', past, case when past ~ 'past$' then '' else ' of' end,
            gnomon_data.mask_words(hour_mask, array(select n::text from generate_series(0, 23) as n))) end;
end
$$;

comment on function gnomon_data.cron_time_words(text, text) is 'The minutes and hours of a cron text in words, from their masks.';
