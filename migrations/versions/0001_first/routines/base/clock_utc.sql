-- For processes that compare their own clock with the database's before they call themselves ready.
create or replace function gnomon.clock_utc() returns timestamptz
language sql volatile security definer set search_path = ''
as $$ select gnomon_data.now_utc() $$;

comment on function gnomon.clock_utc() is 'The instant by the one clock that decides.';
revoke all on function gnomon.clock_utc() from public;
grant execute on function gnomon.clock_utc() to gnomon_caller, gnomon_reader;
