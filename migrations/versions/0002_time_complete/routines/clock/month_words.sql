create or replace function gnomon_data.month_words(months text) returns text
language sql immutable parallel safe
as $$
    select case when months ~ '0' then gnomon_data.mask_words(months,
        '{January,February,March,April,May,June,July,August,September,October,November,December}') end
$$;

comment on function gnomon_data.month_words(text) is 'The months of a mask: January to March; null for all of them.';
