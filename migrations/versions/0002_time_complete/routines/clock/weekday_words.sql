create or replace function gnomon_data.weekday_words(days text) returns text
language sql immutable parallel safe
as $$
    select case days when '1111111' then 'day' when '1111100' then 'weekday'
        else gnomon_data.mask_words(days, '{Monday,Tuesday,Wednesday,Thursday,Friday,Saturday,Sunday}') end
$$;

comment on function gnomon_data.weekday_words(text) is 'What "every" goes before: day, weekday, Monday and Thursday.';
