-- Each line of today's log is counted once, by the instant it was settled: begun at one call (clock, then xid), done at a later
-- one, when all that was open then is over, so that no line below that instant can appear any more (the proof of a safe mark).
-- There is no index by that instant, and need not be: the log only grows, so what was settled since is found near its end. 512
-- blocks more are looked through, for pages that were left with room.
create or replace function gnomon.fold_lateness() returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
declare
    now_utc constant timestamptz := gnomon_data.now_utc();
    today constant text := gnomon_data.period_name('delivery_log', now_utc);
    walk gnomon_data.lateness_walk;
begin
    select w.* into walk from gnomon_data.lateness_walk as w for update skip locked;
    if walk.one_row is null or to_regclass(format('gnomon_data.%I', today)) is null then
        return false;
    end if;
    if walk.period <> today then
        delete from gnomon_data.lateness_folds;
        walk := row(true, today, '-infinity', 0, null, null, null);
    elsif walk.next_xid < pg_snapshot_xmin(pg_current_snapshot()) then
        insert into gnomon_data.lateness_folds as f (period, lane, le, count, sum_seconds)
        select today, r.* from gnomon_data.lateness_since(today, walk.from_block, walk.until_utc, walk.next_utc) as r
        on conflict on constraint lateness_folds_pkey do update set count = f.count + excluded.count, sum_seconds = f.sum_seconds + excluded.sum_seconds;
        walk := row(true, today, walk.next_utc, walk.next_block, null, null, null);
    elsif walk.next_xid is not null then
        return false;
    end if;
    walk.next_utc := now_utc;
    walk.next_block := greatest(pg_relation_size(format('gnomon_data.%I', today)::regclass) / current_setting('block_size')::int - 512, 0);
    walk.next_xid := pg_current_xact_id();
    update gnomon_data.lateness_walk as w
       set period = walk.period, until_utc = walk.until_utc, from_block = walk.from_block, next_utc = walk.next_utc,
           next_block = walk.next_block, next_xid = walk.next_xid;
    return true;
end
$$;

comment on function gnomon.fold_lateness() is
    'Counts what was settled of today since the call before, for gnomon.lateness(); false when an older transaction is still open.';
revoke all on function gnomon.fold_lateness() from public;
grant execute on function gnomon.fold_lateness() to gnomon_worker;
