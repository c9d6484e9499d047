create or replace function gnomon.periods_ahead() returns table (parent_table text, until_utc timestamptz)
language sql stable security definer set search_path = ''
as $$ select p.parent, max(p.until_utc) from gnomon_data.periods as p group by p.parent order by p.parent $$;

comment on function gnomon.periods_ahead() is 'Until when partitions by time exist, a row a table.';
revoke all on function gnomon.periods_ahead() from public;
grant execute on function gnomon.periods_ahead() to gnomon_reader, gnomon_worker;
