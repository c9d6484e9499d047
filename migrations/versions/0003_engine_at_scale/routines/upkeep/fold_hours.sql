-- Hours that have been over for an hour, and with the proof of a safe mark: begun at one look, done at a later one.
create or replace function gnomon_data.fold_hours(shard smallint, now_utc timestamptz) returns void
language plpgsql volatile
as $$
declare
    until_utc constant timestamptz := date_trunc('hour', now_utc - interval '1 h', 'UTC');
    f gnomon_data.ledger_folds;
begin
    select x.* into f from gnomon_data.ledger_folds as x where x.shard = fold_hours.shard for update;
    if f.next_xid < pg_snapshot_xmin(pg_current_snapshot()) then
        perform gnomon_data.fold_ends(fold_hours.shard, f.next_until_utc);
    elsif f.next_xid is null and f.folded_until_utc < until_utc then
        update gnomon_data.ledger_folds as x set next_until_utc = until_utc, next_xid = pg_current_xact_id() where x.shard = fold_hours.shard;
    end if;
end
$$;

comment on function gnomon_data.fold_hours(smallint, timestamptz) is 'Begins or ends to count what ended in a shard in hours that are over.';
