-- One statement, so one snapshot: a schedule and its acceptance appear together, its row and its end change places together,
-- and what is folded leaves one table for the other. So whatever runs meanwhile, each day of a shard balances exactly.
-- Ends of hours that are over are read from ledger_days (fold_hours): what a look costs is the keys of what is pending, and what
-- was logged in the last one to four hours.
-- Between the detach and the drop of a period whose ends are not counted yet they are in neither place: then nothing is told.
create or replace function gnomon.ledger(shards smallint[] default null)
returns table (shard smallint, accepted_on date, accepted_count bigint, pending_count bigint, ended_count bigint, missing_count bigint)
language sql stable security definer set search_path = ''
as $$
    with place as materialized (
        select f.shard, f.folded_until_utc from gnomon_data.ledger_folds as f
         where (ledger.shards is null or f.shard = any (ledger.shards))
           and not exists (select from gnomon_data.periods as p
                            where p.parent = 'occurrence_log' and p.until_utc > f.folded_until_utc
                              and to_regclass(format('gnomon_data.%I', p.period)) is not null
                              and not gnomon_data.is_attached(p.period))
    ), entry as (
        select a.shard, a.accepted_on, a.accepted_count::bigint as accepted_count, 0 as pending_count, 0 as ended_count
          from gnomon_data.acceptances as a where a.shard in (select p.shard from place as p)
        union all
        select d.shard, d.accepted_on, d.accepted_count, 0, d.ended_count
          from gnomon_data.ledger_days as d where d.shard in (select p.shard from place as p)
        union all
        select l.shard, l.accepted_on, 0, l.count, 0
          from place as p cross join lateral (
               select s.shard, (gnomon_data.at_of_id(s.id) at time zone 'UTC')::date as accepted_on, count(*)
                 from gnomon_data.schedules as s where s.shard = p.shard group by 1, 2) as l
        union all
        select p.shard, e.accepted_on, 0, 0, e.ended_count
          from place as p cross join lateral gnomon_data.ends_of(p.shard, p.folded_until_utc, 'infinity') as e
    )
    select e.shard, e.accepted_on, sum(e.accepted_count)::bigint, sum(e.pending_count)::bigint, sum(e.ended_count)::bigint,
           (sum(e.accepted_count) - sum(e.pending_count) - sum(e.ended_count))::bigint
      from entry as e group by e.shard, e.accepted_on order by e.shard, e.accepted_on
$$;

comment on function gnomon.ledger(smallint[]) is
    'accepted = pending + ended, by shard and day (UTC) of acceptance; missing_count is what is lost, below zero what nobody accepted. All shards without an argument: that reads the keys of every pending schedule and what ended in the last hours.';
revoke all on function gnomon.ledger(smallint[]) from public;
grant execute on function gnomon.ledger(smallint[]) to gnomon_reader, gnomon_worker;
