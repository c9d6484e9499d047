create or replace function gnomon.session_generation() returns int
language sql stable security definer set search_path = ''
as $$ select r.generation from gnomon_data.retiming as r $$;

comment on function gnomon.session_generation() is 'A number that changes when sessions are to be made anew (renew_sessions).';
revoke all on function gnomon.session_generation() from public;
grant execute on function gnomon.session_generation() to gnomon_caller, gnomon_reader, gnomon_worker;
