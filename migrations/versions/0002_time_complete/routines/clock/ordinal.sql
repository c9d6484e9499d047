create or replace function gnomon_data.ordinal(n int) returns text
language sql immutable parallel safe
as $$
    select case
        when n = -1 then 'last'
        when n < 0 then gnomon_data.ordinal(-n) || ' last'
        else n || case when n % 100 in (11, 12, 13) then 'th' when n % 10 = 1 then 'st' when n % 10 = 2 then 'nd' when n % 10 = 3 then 'rd'
            else 'th' end end
$$;

comment on function gnomon_data.ordinal(int) is 'The number as a place in a row: 1st, 2nd; counted from the end when negative: last, 2nd last.';
