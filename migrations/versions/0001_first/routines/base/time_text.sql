create or replace function gnomon_data.time_text(reading time) returns text
language sql immutable strict parallel safe
as $$ select to_char(reading, case when extract(second from reading) = 0 then 'HH24:MI' else 'HH24:MI:SS' end) $$;

comment on function gnomon_data.time_text(time) is 'A local time as 18:00, seconds only when there are some.';
