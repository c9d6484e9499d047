create or replace function gnomon.ledger_checks() returns table (shard smallint, checked_at_utc timestamptz, missing_count bigint)
language sql stable security definer set search_path = ''
as $$ select c.shard, c.checked_at_utc, c.missing_count from gnomon_data.ledger_checks as c order by c.shard $$;

comment on function gnomon.ledger_checks() is 'When each shard was last balanced by upkeep, and by how much it was off.';
revoke all on function gnomon.ledger_checks() from public;
grant execute on function gnomon.ledger_checks() to gnomon_reader, gnomon_worker;
