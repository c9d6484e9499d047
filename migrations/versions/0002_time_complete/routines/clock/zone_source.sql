-- Our own launcher tells its server which zone data it was given (gnomon.zone_rules); no other server says so.
create or replace function gnomon_data.zone_source() returns text
language sql stable
as $$ select 'PostgreSQL ' || split_part(current_setting('server_version'), ' ', 1) || coalesce(', zone data ' || nullif(current_setting('gnomon.zone_rules', true), ''), '') $$;

comment on function gnomon_data.zone_source() is 'Whose zone data this session computes by, as far as the server tells.';
