-- The day that runs does not count. Three are made: with two left, upkeep has been away for a day and nothing has suffered yet.
create or replace function gnomon.periods_ready() returns int
language sql stable security definer set search_path = ''
as $$
    select coalesce(floor(extract(epoch from min(p.until_utc) - date_trunc('day', gnomon_data.now_utc(), 'UTC')) / 86400)::int - 1, -1)
      from gnomon.periods_ahead() as p
$$;

comment on function gnomon.periods_ready() is 'How many whole days beyond today (UTC) have their partition in every table that has them; -1 when not even today.';
revoke all on function gnomon.periods_ready() from public;
grant execute on function gnomon.periods_ready() to gnomon_reader, gnomon_worker;
