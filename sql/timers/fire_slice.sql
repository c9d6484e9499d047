-- All in one statement after the other, without a subtransaction: one row that raises undoes the whole call, and whoever called
-- asks again with fire_carefully, which finds that row and sets it aside.
create or replace function gnomon.fire_slice(
    lane smallint, shards smallint[], after_at timestamptz[], after_id uuid[], each int) returns gnomon.fire_result
language plpgsql volatile security definer set search_path = ''
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
as $$
declare
    now_utc timestamptz;
    taken gnomon_data.timers[];
    result gnomon.fire_result;
begin
    perform gnomon_data.require_read_committed();
    perform pg_current_xact_id();
    now_utc := gnomon_data.now_utc();
    result := row(0, 0, 0, 0, 0, false);
    taken := gnomon_data.take_slice(fire_slice.lane, shards, after_at, after_id, now_utc + gnomon_data.fire_ahead(), each);
    if cardinality(taken) = 0 then
        return result;
    end if;
    select f.fired_count, f.set_back_count, f.stale_count, f.expired_count
      into result.fired_count, result.set_back_count, result.stale_count, result.expired_count
      from gnomon_data.fire_timers(taken, now_utc) as f;
    result.taken_count := cardinality(taken);
    result.is_full := cardinality(taken) >= each;
    return result;
end
$$;

comment on function gnomon.fire_slice(smallint, smallint[], timestamptz[], uuid[], int) is
    'Fires what is due within the look-ahead in one lane and the shards of one slice, at most each a shard, above a key (instant, id) a shard. Needs READ COMMITTED; waits for no row lock.';
revoke all on function gnomon.fire_slice(smallint, smallint[], timestamptz[], uuid[], int) from public;
grant execute on function gnomon.fire_slice(smallint, smallint[], timestamptz[], uuid[], int) to gnomon_worker;
