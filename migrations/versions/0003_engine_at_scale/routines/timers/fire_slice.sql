create or replace function gnomon.fire_slice(
    lane smallint, shards smallint[], after_at timestamptz[], after_id uuid[], each int) returns gnomon.fire_result
language plpgsql volatile security definer set search_path = ''
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
as $$
declare
    now_utc timestamptz;
    due_until timestamptz;
    slice gnomon_data.shard_slices;
    period record;
    taken gnomon_data.timers[] := '{}';
    part gnomon_data.timers[];
    result gnomon.fire_result;
begin
    perform gnomon_data.require_read_committed();
    perform pg_current_xact_id();
    now_utc := gnomon_data.now_utc();
    due_until := now_utc + gnomon_data.fire_ahead();
    result := row(0, 0, 0, 0, 0, false);
    select s.* into slice from gnomon_data.shard_slices as s where shards[1] between s.first_shard and s.last_shard;
    if slice.slice is null or exists (select from unnest(shards) as g where g not between slice.first_shard and slice.last_shard) then
        perform gnomon_data.fail('GN024', 'all shards of one call must lie in one slice', 'see gnomon_data.shard_slices', '/shards');
    end if;
    for period in
        select p.period as name from gnomon_data.periods as p
         where p.parent = 'timers' and p.from_utc <= due_until
           and p.until_utc > (select min(a) from unnest(after_at) as a)
           and to_regclass('gnomon_data.' || p.period) is not null
         order by p.from_utc
    loop
        part := gnomon_data.take_timers(period.name, slice.first_shard, slice.last_shard, fire_slice.lane, shards, after_at,
            after_id, due_until, each);
        taken := taken || part;
        exit when cardinality(taken) >= each;
    end loop;
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
