create or replace function gnomon_data.offset_text(seconds int) returns text
language sql immutable strict parallel safe
as $$
    select format('%s%s:%s', case when seconds < 0 then '-' else '+' end, lpad((abs(seconds) / 3600)::text, 2, '0'), lpad((abs(seconds) / 60 % 60)::text, 2, '0'))
$$;

comment on function gnomon_data.offset_text(int) is 'An offset from UTC, given in seconds, as +HH:MM.';
