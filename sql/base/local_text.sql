create or replace function gnomon_data.local_text(reading timestamp) returns text
language sql stable parallel safe
as $$
    select to_char(reading, 'YYYY-MM-DD"T"HH24:MI')
        || case when extract(second from reading) = 0 then '' else to_char(reading, ':SS') end
$$;

comment on function gnomon_data.local_text(timestamp) is 'A wall clock reading as 2026-10-25T18:00, seconds only when there are some.';
