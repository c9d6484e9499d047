-- How many were missed has to be exact and may not cost what missing them would have: a minute's cron has 525,600 a year.
-- elapsed is a division. The others go a step a day at most: one occurrence is looked for, and where the zone stands still
-- around its day, the rest of a cron's day is counted in the masks. Only in the days around a change it is one by one.
create or replace function gnomon_data.count_occurrences(rule jsonb, time_zone text, after_utc timestamptz, until_utc timestamptz)
returns bigint
language plpgsql stable parallel safe
as $$
declare
    shift_for constant interval := make_interval(secs => coalesce((rule->'offset')::float8, 0));
    step constant bigint := (rule->'step')::numeric * 1000000;
    at_utc timestamptz := after_utc;
    counted bigint := 0;
    found record;
    base_utc timestamptz;
    rest_for interval;
begin
    if rule->>'kind' = 'elapsed' then
        at_utc := (rule->>'from')::timestamptz + shift_for;
        return greatest(floor(extract(epoch from until_utc - at_utc) * 1000000 / step), -1)
             - greatest(floor(extract(epoch from after_utc - at_utc) * 1000000 / step), -1);
    end if;
    loop
        found := gnomon_data.next_occurrence(rule, time_zone, at_utc);
        exit when found.due_at_utc is null or found.due_at_utc > until_utc;
        counted := counted + 1;
        at_utc := found.due_at_utc;
        if rule->>'kind' = 'cron' then
            base_utc := at_utc - shift_for;
            rest_for := least(found.nominal_local::date + time '23:59:59.999999' - found.nominal_local, until_utc - at_utc);
            if gnomon_data.is_still(time_zone, base_utc - interval '24 hours', base_utc + rest_for + interval '24 hours') then
                counted := counted + gnomon_data.cron_readings_until(rule, (found.nominal_local + rest_for)::time)
                         - gnomon_data.cron_readings_until(rule, found.nominal_local::time);
                at_utc := at_utc + rest_for;
            end if;
        end if;
    end loop;
    return counted;
end
$$;

comment on function gnomon_data.count_occurrences(jsonb, text, timestamptz, timestamptz) is
    'How many occurrences of a compiled rule are due later than after_utc and not later than until_utc; at most a step a day, but near changes of the zone.';
