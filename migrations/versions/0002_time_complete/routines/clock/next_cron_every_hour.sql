-- When all 24 hours are selected the rule fires at every instant whose reading matches: both passes of an overlap, nothing
-- made up for a gap. An hour of silence each autumn is the most reported bug of all schedulers.
-- Wall order is no guide here, for after an overlap earlier readings come again. So it walks instants: from one stretch of
-- constant offset to the next. A reading that lies at most a day ahead is as far away as it reads, unless the zone
-- changes on the way (once at most, two changes are never closer than 6.9 days): then the walk goes on at the change, whose
-- own reading counts too. What is farther away than a day is jumped to, for no overlap is longer than that.
create or replace function gnomon_data.next_cron_every_hour(
    rule jsonb, time_zone text, after_utc timestamptz, out due_at_utc timestamptz, out nominal_local timestamp)
language plpgsql stable parallel safe
as $$
declare
    a_day constant interval := interval '24 hours';
    at_utc timestamptz := after_utc;
    shown timestamp := after_utc at time zone time_zone;
    from_local timestamp := date_trunc('minute', shown) + interval '1 minute';
    ahead_for interval;
begin
    loop
        nominal_local := gnomon_data.next_cron_reading(rule, from_local);
        exit when nominal_local is null;
        ahead_for := make_interval(secs => extract(epoch from nominal_local - shown));
        due_at_utc := at_utc + least(ahead_for, a_day);
        if due_at_utc at time zone time_zone <> shown + least(ahead_for, a_day) then
            at_utc := gnomon_data.next_change(time_zone, at_utc, due_at_utc);
        elsif ahead_for <= a_day then
            return;
        else
            at_utc := greatest(due_at_utc, (gnomon_data.instant_of(nominal_local - interval '1 day', time_zone, null, null)).at_utc);
        end if;
        shown := at_utc at time zone time_zone;
        from_local := date_trunc('minute', shown + interval '59.999999 seconds');
    end loop;
    due_at_utc := null;
end
$$;

comment on function gnomon_data.next_cron_every_hour(jsonb, text, timestamptz) is
    'next_cron for rules that select all 24 hours: the first instant strictly later than after_utc whose reading matches, and that reading.';
