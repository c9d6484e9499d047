create or replace function gnomon_data.fold_ends(shard smallint, until_utc timestamptz) returns void
language sql volatile
as $$
    with folded as (
        update gnomon_data.ledger_folds as f set folded_until_utc = fold_ends.until_utc, next_until_utc = null, next_xid = null
          from (select x.folded_until_utc from gnomon_data.ledger_folds as x where x.shard = fold_ends.shard for update) as before
         where f.shard = fold_ends.shard and f.folded_until_utc < fold_ends.until_utc
     returning before.folded_until_utc as from_utc
    )
    insert into gnomon_data.ledger_days as d (accepted_on, shard, accepted_count, ended_count)
    select e.accepted_on, fold_ends.shard, 0, e.ended_count
      from folded as f cross join lateral gnomon_data.ends_of(fold_ends.shard, f.from_utc, fold_ends.until_utc) as e
     order by 1
    on conflict on constraint ledger_days_pkey do update set ended_count = d.ended_count + excluded.ended_count
$$;

comment on function gnomon_data.fold_ends(smallint, timestamptz) is
    'Counts in ledger_days what ended in a shard before until_utc and is not counted yet; nothing below that may appear any more.';
