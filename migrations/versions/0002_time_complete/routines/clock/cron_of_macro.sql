create or replace function gnomon_data.cron_of_macro(given text) returns text
language sql immutable parallel safe
as $$
    select case when left(given, 1) = '@' then
        case lower(given)
            when '@hourly' then '0 * * * *'
            when '@daily' then '0 0 * * *'
            when '@midnight' then '0 0 * * *'
            when '@weekly' then '0 0 * * 0'
            when '@monthly' then '0 0 1 * *'
            when '@yearly' then '0 0 1 1 *'
            when '@annually' then '0 0 1 1 *'
            else given end
        else given end
$$;

comment on function gnomon_data.cron_of_macro(text) is 'The five fields that @daily and its like stand for; any other text as it is.';
