-- The compiled rule holds everything that decides instants and nothing else, so that firing reads it and parses no
-- request. It is stored with the schedule: a key may be added, never given another meaning. Keys that would say the
-- default are left out.
--   kind      instant, relative, time (a reading without a date), once, daily, weekly, monthly, yearly, elapsed, cron;
--             an RRULE becomes one of daily to yearly
--   at        instant: the instant, RFC 3339 in UTC
--   in        relative: seconds from the acceptance; becomes instant there. elapsed likewise: becomes from
--   time      local time HH:MM:SS of every kind with readings but cron
--   date      once: the local date. A time becomes once at the acceptance
--   every     every n days, weeks, months or years; absent = 1
--   days      seven characters, MON to SUN, 1 = fires: the days of weekly; of monthly and yearly, each such day; of daily
--             and beside month_days, only those. weekly, absent until the acceptance = the weekday of the first day
--   month_days  [1 to 31, or -1 to -31 from the end, ...]; monthly and yearly, absent until the acceptance beside neither
--             days nor nth = the day of the first day; of daily, only those
--   nth       monthly and yearly: [[n, weekday 1 to 7], ...], -1 = the last of the month; nth_of_year: of the year
--   months    twelve characters, January to December, 1 = fires; yearly, absent until the acceptance = the first day's month
--   missing   skip: a day that the month has not is left out; absent = the last there is
--   set_pos   monthly and yearly: [positions within the days of the month or year, -1 = the last, ...]
--   week_start  weekly with every: weekday 2 to 7 that its weeks begin on; absent = Monday
--   anchor    date that `every` counts from; absent until the acceptance = the first day it can fire
--   count     the last date is the count-th from the first day; becomes end as soon as that day is known
--   start     first local date it may fire; end: the last. until: the last instant, before the offset
--   not       [dates that are left out, sorted]; calendars: [names of calendars whose dates are]
--   from      elapsed: the instant it counts from; step: seconds
--   end_after how many occurrences; the caller counts
--   misfire   skip or catch_up; absent = fire_once. limit: catch_up, how many; late: seconds after which none is made. They
--             decide no instant: added by compile_misfire, read by advance
--   offset    seconds added to the resolved instant, as elapsed time
--   gap       skip; absent = next_valid. overlap: second; absent = first
--   cron, in masks of 0 and 1, absent = all; a mask begins with the lowest value:
--     minutes (60 characters), hours (24), months (12), dates (31, the 1st to the 31st), days (as above); the first two
--     are always there
--     last_day  true: the last day of a month too; goes with dates
--     nth       [[n, weekday 1 to 7], ...]: the nth weekday of a month too, -1 = the last; goes with days
--     day_and   true: dates and days both have to match; absent = either suffices
--     every_hour true: all 24 hours, every instant whose reading matches; gap and overlap say nothing then
create or replace function gnomon_data.compile_rule(request jsonb, out rule jsonb, out fault gnomon_data.fault)
language plpgsql stable parallel safe
as $$
declare
    part record;
begin
    fault := coalesce(
        gnomon_data.type_fault(request, '', 'string',
            array['schedule_type', 'schedule_at', 'schedule_date', 'offset', 'on_gap', 'on_overlap']),
        gnomon_data.type_fault(request, '', 'object', array['recurrence']),
        gnomon_data.word_fault(request, 'schedule_type', array['absolute_utc', 'relative', 'user_local_time']),
        gnomon_data.word_fault(request, 'on_gap', array['next_valid', 'skip']),
        gnomon_data.word_fault(request, 'on_overlap', array['first', 'second']));
    if fault.code is not null then
        return;
    end if;
    if request ? 'recurrence' then
        part := gnomon_data.compile_recurrence(request);
    else
        part := gnomon_data.compile_moment(request);
    end if;
    rule := part.rule;
    fault := part.fault;
    if fault.code is null and request ? 'offset' then
        part := gnomon_data.read_duration(request->>'offset', '/offset', true);
        fault := part.fault;
        if part.duration <> interval '0' then
            rule := rule || jsonb_build_object('offset', trim_scale(extract(epoch from part.duration)));
        end if;
    end if;
    if fault.code is not null then
        rule := null;
        return;
    end if;
    if gnomon_data.has_readings(rule) and request->>'on_gap' = 'skip' then
        rule := rule || jsonb '{"gap": "skip"}';
    end if;
    if gnomon_data.has_readings(rule) and request->>'on_overlap' = 'second' then
        rule := rule || jsonb '{"overlap": "second"}';
    end if;
end
$$;

comment on function gnomon_data.compile_rule(jsonb) is
    'Compiles the words of a normalised request that say when; the keys of the result stand in compile_rule.sql. Needs no zone and no clock.';
