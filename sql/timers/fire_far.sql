-- Part of the sweep: a timer may lie far although it is due, when upkeep is dead, when a caller read the horizon before a
-- period was attached, or when the clock went back. Its own table is one leaf, so all shards go in one call.
create or replace function gnomon.fire_far(shards smallint[], at_most int) returns gnomon.fire_result
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
    taken := gnomon_data.take_far(shards, now_utc + gnomon_data.fire_ahead(), greatest(at_most / cardinality(shards), 1));
    result := row(0, 0, 0, 0, 0, false);
    if cardinality(taken) > 0 then
        select f.fired_count, f.set_back_count, f.stale_count, f.expired_count
          into result.fired_count, result.set_back_count, result.stale_count, result.expired_count
          from gnomon_data.fire_timers(taken, now_utc) as f;
    end if;
    result.taken_count := cardinality(taken);
    result.is_full := cardinality(taken) >= greatest(at_most / cardinality(shards), 1);
    return result;
end
$$;

comment on function gnomon.fire_far(smallint[], int) is 'Fires what is due among the far timers of these shards; about at_most.';
revoke all on function gnomon.fire_far(smallint[], int) from public;
grant execute on function gnomon.fire_far(smallint[], int) to gnomon_worker;
