-- What a rule yields, as people see it: local_time and utc_offset are what the clock on the wall shows at at_utc, so
-- that at_utc = local_time - utc_offset always; a reading of 02:30 moved by a gap shows as 03:00 and kind gap.
create type gnomon.occurrence as (at_utc timestamptz, local_time timestamp, utc_offset interval, kind text);
comment on type gnomon.occurrence is
    'One occurrence: the instant, the wall clock and its offset at that instant; kind is exact, gap or overlap, null for an instant that no reading decided.';

create type gnomon.known_calendar as (calendar text, dates date[], changed_at_utc timestamptz);
comment on type gnomon.known_calendar is 'A calendar of days on which the schedules that name it do not fire; dates are sorted.';

create type gnomon.listed_calendar as (calendar text, date_count int, first_on date, last_on date, changed_at_utc timestamptz);
comment on type gnomon.listed_calendar is 'A calendar in a list, without its dates.';

create type gnomon.calendar_set as (calendar text, date_count int, moved_count int, ended_count int);
comment on type gnomon.calendar_set is
    'The answer to set_calendar: how many schedules now fire next on another day, and how many have none left and are completed.';
