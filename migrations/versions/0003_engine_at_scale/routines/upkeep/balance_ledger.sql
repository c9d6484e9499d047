create or replace function gnomon.balance_ledger() returns table (shard smallint, missing_count bigint)
language plpgsql volatile security definer set search_path = ''
as $$
declare
    looked_at smallint;
    missing bigint;
begin
    with gone as (
        delete from gnomon_data.acceptances as a returning a.*
    )
    insert into gnomon_data.ledger_days as d (accepted_on, shard, accepted_count, ended_count)
    select g.accepted_on, g.shard, sum(g.accepted_count), 0 from gone as g group by g.accepted_on, g.shard order by 1, 2
    on conflict on constraint ledger_days_pkey do update set accepted_count = d.accepted_count + excluded.accepted_count;
    select s.n into looked_at from generate_series(0, 63) as s (n) left join gnomon_data.ledger_checks as c on c.shard = s.n
     order by c.checked_at_utc nulls first, s.n limit 1;
    perform gnomon_data.fold_hours(looked_at, gnomon_data.now_utc());
    select sum(abs(l.missing_count)) into missing from gnomon.ledger(array[looked_at]) as l;
    insert into gnomon_data.ledger_checks as c (shard, checked_at_utc, missing_count)
    values (looked_at, gnomon_data.now_utc(), coalesce(missing, 0))
    on conflict on constraint ledger_checks_pkey do update
       set checked_at_utc = excluded.checked_at_utc, missing_count = excluded.missing_count;
    return query select looked_at, coalesce(missing, 0);
end
$$;

comment on function gnomon.balance_ledger() is
    'Folds what was accepted into the days of the ledger, and balances the shard, its ends of the hours that are over folded too, that was not looked at for longest; by how much it is off.';
revoke all on function gnomon.balance_ledger() from public;
grant execute on function gnomon.balance_ledger() to gnomon_worker;
