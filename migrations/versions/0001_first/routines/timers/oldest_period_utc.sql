create or replace function gnomon.oldest_period_utc() returns timestamptz
language sql stable security definer set search_path = ''
as $$ select coalesce(min(p.from_utc), '-infinity') from gnomon_data.periods as p where p.parent = 'timers' $$;

comment on function gnomon.oldest_period_utc() is 'Where a sweep from the very start begins.';
revoke all on function gnomon.oldest_period_utc() from public;
grant execute on function gnomon.oldest_period_utc() to gnomon_worker;
