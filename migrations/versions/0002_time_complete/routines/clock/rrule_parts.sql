-- The one table of the parts of an RRULE: what the value looks like, and what to say when it does not. A part without a
-- shape is one of RFC 5545 that does not map; is_list: values between commas.
create or replace function gnomon_data.rrule_parts()
returns table (part text, shape text, is_list boolean, says text)
language sql immutable parallel safe
as $$
    values ('FREQ', 'DAILY|WEEKLY|MONTHLY|YEARLY', false, 'DAILY, WEEKLY, MONTHLY or YEARLY; for shorter ones use pattern elapsed or cron'),
           ('INTERVAL', '0*([1-9][0-9]{0,2}|1000)', false, 'a whole number from 1 to 1000'),
           ('COUNT', '0*([1-9][0-9]{0,2}|1000)', false, 'a whole number from 1 to 1000; end_after counts up to a billion that fired'),
           ('UNTIL', '[0-9]{8}(T([01][0-9]|2[0-3])[0-5][0-9][0-5][0-9]Z?)?', false, 'a date 20271231, a local time 20271231T090000 or an instant 20271231T080000Z'),
           ('BYDAY', '([+-]?0?[1-9]|[+-]?[1-4][0-9]|[+-]?5[0-3])?(MO|TU|WE|TH|FR|SA|SU)', true, 'days such as MO,WE or 2TU or -1FR'),
           ('BYMONTHDAY', '[+-]?(0?[1-9]|[12][0-9]|3[01])', true, 'days 1 to 31, or -1 to -31 from the end'),
           ('BYMONTH', '0?[1-9]|1[0-2]', true, 'months 1 to 12'),
           ('BYSETPOS', '[+-]?0{0,2}([1-9]|[1-9][0-9]|[1-2][0-9][0-9]|3[0-5][0-9]|36[0-6])', true, 'positions 1 to 366, or -1 to -366 from the end'),
           ('WKST', 'MO|TU|WE|TH|FR|SA|SU', false, 'one of MO, TU, WE, TH, FR, SA, SU'),
           ('BYHOUR', null, null, 'schedule_at says the time; for several times a day use pattern cron'),
           ('BYMINUTE', null, null, 'schedule_at says the time; for several times a day use pattern cron'),
           ('BYSECOND', null, null, 'schedule_at says the time'),
           ('BYYEARDAY', null, null, 'use BYMONTH and BYMONTHDAY'),
           ('BYWEEKNO', null, null, 'use FREQ=WEEKLY, or BYMONTH and BYDAY'),
           ('RSCALE', null, null, 'dates are Gregorian'),
           ('SKIP', null, null, 'use pattern monthly or yearly with on_missing_day last'),
           ('DTSTART', null, null, 'use start_date and schedule_at'),
           ('EXDATE', null, null, 'use exclude_dates')
$$;

comment on function gnomon_data.rrule_parts() is 'The parts of an RRULE: shape of the value (null: does not map), whether it is a list, and what was expected.';
