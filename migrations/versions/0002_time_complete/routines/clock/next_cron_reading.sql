create or replace function gnomon_data.next_cron_reading(rule jsonb, from_local timestamp) returns timestamp
language plpgsql stable parallel safe
as $$
declare
    is_every_day constant boolean :=
        not rule ?| array['months', 'dates', 'days', 'nth', 'start', 'end', 'not', 'calendars'];
    minutes constant text := rule->>'minutes';
    hours constant text := rule->>'hours';
    today constant date := from_local::date;
    day date := today;
    minute int;
    hour int;
    found int;
begin
    if not is_every_day then
        day := gnomon_data.next_day(rule, today);
    end if;
    if day = today then
        minute := date_part('minute', from_local)::int;
        hour := date_part('hour', from_local)::int;
        if substr(hours, hour + 1, 1) = '1' then
            found := strpos(substr(minutes, minute + 1), '1');
            if found > 0 then
                return day + make_interval(hours => hour, mins => minute + found - 1);
            end if;
        end if;
        found := strpos(substr(hours, hour + 2), '1');
        if found > 0 then
            return day + make_interval(hours => hour + found, mins => strpos(minutes, '1') - 1);
        end if;
        day := day + 1;
        if not is_every_day then
            day := gnomon_data.next_day(rule, day);
        end if;
    end if;
    return case when day <= date '9999-12-31' then day end + make_interval(hours => strpos(hours, '1') - 1, mins => strpos(minutes, '1') - 1);
end
$$;

comment on function gnomon_data.next_cron_reading(jsonb, timestamp) is
    'The first reading of a compiled cron rule at or after a whole minute, in wall order, without zone; null when none is left.';
