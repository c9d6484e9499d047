-- What an empty database needs before the first schedule. Safe to repeat: a migration calls it at its end.
create or replace function gnomon_data.install() returns void
language plpgsql volatile set search_path = ''
as $$
begin
    insert into gnomon_data.shard_slices (slice, first_shard, last_shard)
    select n, n * 8, n * 8 + 7 from generate_series(0, 7) as n
    where not exists (select from gnomon_data.shard_slices);
    insert into gnomon_data.walks (walk, after_shard, after_kind, after_key)
    values ('schedule_keys', -1, 0, ''), ('payloads', -1, 0, ''), ('timers_far', -1, 0, ''), ('parked', -1, 0, '') on conflict on constraint walks_pkey do nothing;
    insert into gnomon_data.retiming (time_zones, after_shard, passed_by_count, generation)
    values ('{}', 0, 0, 0) on conflict on constraint retiming_pkey do nothing;
    insert into gnomon_data.ledger_folds (shard, folded_until_utc)
    select n, '-infinity' from generate_series(0, 63) as n on conflict on constraint ledger_folds_pkey do nothing;
    insert into gnomon_data.lateness_walk (period, until_utc, from_block)
    values ('', '-infinity', 0) on conflict on constraint lateness_walk_pkey do nothing;
    perform gnomon_data.first_categories();
    perform gnomon_data.load_time_zones();
    perform gnomon.make_periods();
end
$$;

comment on function gnomon_data.install() is 'Slices, time zones with their fingerprints, the first categories and the first periods. Idempotent.';
