-- Of a period that somebody detached before its ends were counted: upkeep detaches it a month later. A schedule that ended
-- once more, in what is still there, is counted there.
create or replace function gnomon_data.fold_detached(period text) returns void
language plpgsql volatile set search_path = ''
as $$
begin
    execute format($sql$
        insert into gnomon_data.ledger_days as d (accepted_on, shard, accepted_count, ended_count)
        select (gnomon_data.at_of_id(e.schedule_id) at time zone 'UTC')::date, e.shard, 0, count(*)
          from (select distinct p.shard, p.schedule_id
                  from gnomon_data.ledger_folds as f join gnomon_data.%I as p on p.shard = f.shard and p.logged_at_utc >= f.folded_until_utc
                 where p.is_last) as e
         where not exists (select from gnomon_data.occurrence_log as o
                            where o.shard = e.shard and o.schedule_id = e.schedule_id and o.is_last)
         group by 1, 2 order by 1, 2
        on conflict on constraint ledger_days_pkey do update set ended_count = d.ended_count + excluded.ended_count
        $sql$, period);
end
$$;

comment on function gnomon_data.fold_detached(text) is
    'Keeps in the ledger how many schedules ended with a detached period of occurrence_log, as far as that is not counted, before it is dropped.';
