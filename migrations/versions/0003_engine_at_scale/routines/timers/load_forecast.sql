-- What is pending now, counted in the index by which it will fire: an edit and a cancel drop their timer, so there is nothing
-- stale in it but the few that a poller held just then; a retime leaves its old timers, and a mass operation all until the sweep. A recurrence has one timer: it counts with its next occurrence.
-- The cost has a bound: no more than a million rows are looked at. Where more is due, whole shards are counted as far as
-- that goes and stand for all 64: users are spread over shards by a hash. Two looks, since a look cannot count by minute and
-- know how far it will come: the first finds the shards, the second counts in them.
create or replace function gnomon.load_forecast(from_utc timestamptz, to_utc timestamptz)
returns table (minute_utc timestamptz, lane text, due_count bigint, is_estimate boolean)
language plpgsql stable security definer set search_path = ''
set enable_seqscan = off set enable_bitmapscan = off
as $$
declare
    most_rows constant int := 1000000;
    first_utc constant timestamptz := date_bin('1 min', from_utc, 'epoch');
    end_utc constant timestamptz := date_bin('1 min', to_utc + interval '1 min' - interval '1 us', 'epoch');
    looked_at constant text := $sql$
        (select t.fire_at_utc from gnomon_data.timers as t
          where t.shard = s.shard::smallint and t.lane = l.lane::smallint and t.fire_at_utc >= $1 and t.fire_at_utc < $2
         union all
         select t.fire_at_utc from gnomon_data.timers_far as t
          where t.shard = s.shard::smallint and t.lane = l.lane::smallint and t.fire_at_utc >= $1 and t.fire_at_utc < $2)
        $sql$;
    found_count int;
    shard_count int;
begin
    if from_utc is null or to_utc is null or from_utc >= to_utc then
        perform gnomon_data.fail('GN024', 'the forecast begins before it ends', 'from_utc lies before to_utc', '/to');
    elsif end_utc - first_utc > interval '8 days' then
        perform gnomon_data.fail('GN024', 'a forecast spans 8 days at most', 'ask for a part of it', '/to');
    end if;
    execute format($sql$
        select count(*), max(f.shard)
          from (select s.shard from generate_series(0, 63) as s (shard) cross join generate_series(0, 2) as l (lane)
                 cross join lateral %s as t limit $3) as f
        $sql$, looked_at)
       into found_count, shard_count using first_utc, end_utc, most_rows + 1;
    if found_count <= most_rows then
        shard_count := 64;
    elsif shard_count = 0 then
        perform gnomon_data.fail('GN024', 'too much is due in this time to be counted', 'ask for a part of it', '/to');
    end if;
    return query execute format($sql$
        select date_bin('1 min', t.fire_at_utc, 'epoch') as minute_utc, gnomon_data.lane_name(l.lane::smallint),
               round(count(*) * 64.0 / $3)::bigint, $3 < 64
          from generate_series(0, $3 - 1) as s (shard) cross join generate_series(0, 2) as l (lane)
         cross join lateral %s as t
         group by 1, l.lane order by 1, l.lane
        $sql$, looked_at) using first_utc, end_utc, shard_count;
end
$$;

comment on function gnomon.load_forecast(timestamptz, timestamptz) is
    'How many timers fire in each minute of [from_utc, to_utc), by lane; minutes without any are left out. What is pending now: of a recurrence its next occurrence, of what is paused nothing. Up to a million are counted, more are estimated, which is_estimate says. At most 8 days: GN024.';
revoke all on function gnomon.load_forecast(timestamptz, timestamptz) from public;
grant execute on function gnomon.load_forecast(timestamptz, timestamptz) to gnomon_caller, gnomon_reader, gnomon_worker;
