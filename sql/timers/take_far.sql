create or replace function gnomon_data.take_far(shards smallint[], until_utc timestamptz, each int) returns gnomon_data.timers[]
language plpgsql volatile
as $$
declare
    lane smallint;
    taken gnomon_data.timers[] := '{}';
    low constant timestamptz[] := array_fill('-infinity'::timestamptz, array[cardinality(shards)]);
    zero constant uuid[] := array_fill('00000000-0000-0000-0000-000000000000'::uuid, array[cardinality(shards)]);
begin
    foreach lane in array array[0, 1, 2]::smallint[] loop
        taken := taken || gnomon_data.take_timers('timers_far', 0::smallint, 63::smallint, lane, shards, low, zero, take_far.until_utc, each);
    end loop;
    return taken;
end
$$;

comment on function gnomon_data.take_far(smallint[], timestamptz, int) is
    'Deletes and returns far timers of these shards that are due by until_utc, at most each a lane and shard.';
