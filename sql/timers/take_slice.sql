create or replace function gnomon_data.take_slice(
    lane smallint, shards smallint[], after_at timestamptz[], after_id uuid[], until_utc timestamptz, each int) returns gnomon_data.timers[]
language plpgsql volatile
as $$
declare
    slice gnomon_data.shard_slices;
    period record;
    taken gnomon_data.timers[] := '{}';
begin
    select s.* into slice from gnomon_data.shard_slices as s where shards[1] between s.first_shard and s.last_shard;
    if slice.slice is null or exists (select from unnest(shards) as g where g not between slice.first_shard and slice.last_shard) then
        perform gnomon_data.fail('GN024', 'all shards of one call must lie in one slice', 'see gnomon_data.shard_slices', '/shards');
    end if;
    for period in
        select p.period as name from gnomon_data.periods as p
         where p.parent = 'timers' and p.from_utc <= take_slice.until_utc
           and p.until_utc > (select min(a) from unnest(after_at) as a)
           and to_regclass('gnomon_data.' || p.period) is not null
         order by p.from_utc
    loop
        taken := taken || gnomon_data.take_timers(period.name, slice.first_shard, slice.last_shard, take_slice.lane, shards, after_at,
            after_id, take_slice.until_utc, each);
        exit when cardinality(taken) >= each;
    end loop;
    return taken;
end
$$;

comment on function gnomon_data.take_slice(smallint, smallint[], timestamptz[], uuid[], timestamptz, int) is
    'Deletes and returns the timers of one lane in the shards of one slice that are due by until_utc, above a key a shard; from the periods in their order until one gave each.';
