create or replace function gnomon_data.cron_value(given text, field int) returns int
language sql immutable parallel safe
as $$
    select case
        when given ~ '^[0-9]' then given::int
        when field = 4 then array_position('{JAN,FEB,MAR,APR,MAY,JUN,JUL,AUG,SEP,OCT,NOV,DEC}'::text[], upper(given))
        when field = 5 then array_position('{SUN,MON,TUE,WED,THU,FRI,SAT}'::text[], upper(given)) - 1
    end
$$;

comment on function gnomon_data.cron_value(text, int) is 'The number of one or two digits, or of a month''s or weekday''s name in its field; null for another name.';
