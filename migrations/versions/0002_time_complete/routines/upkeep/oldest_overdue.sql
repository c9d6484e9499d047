-- By the index, a look a lane and shard: timers that should have fired, deliveries that should have been claimed.
create or replace function gnomon.oldest_overdue() returns table (plane text, lane text, since_utc timestamptz)
language plpgsql stable security definer set search_path = ''
set enable_seqscan = off set enable_bitmapscan = off
as $$
declare
    now_utc constant timestamptz := gnomon_data.now_utc();
begin
    return query
    with place as (
        select l.lane, s.shard from generate_series(0, 2) as l (lane) cross join generate_series(0, 63) as s (shard)
    )
    select 'timers', gnomon_data.lane_name(f.lane::smallint), min(f.at_utc)
      from (select p.lane, t.fire_at_utc as at_utc from place as p
             cross join lateral (select x.fire_at_utc from gnomon_data.timers as x
                                  where x.shard = p.shard::smallint and x.lane = p.lane::smallint and x.fire_at_utc <= now_utc
                                  order by x.fire_at_utc limit 1) as t
            union all
            select p.lane, t.fire_at_utc from place as p
             cross join lateral (select x.fire_at_utc from gnomon_data.timers_far as x
                                  where x.shard = p.shard::smallint and x.lane = p.lane::smallint and x.fire_at_utc <= now_utc
                                  order by x.fire_at_utc limit 1) as t) as f
     group by f.lane
    union all
    select 'deliveries', gnomon_data.lane_name(r.lane::smallint), min(r.at_utc)
      from (select p.lane, d.ready_at_utc as at_utc from place as p
             cross join lateral (select c.channel from gnomon_data.channels_in_use as c where c.lane = p.lane::smallint) as c
             cross join lateral (select x.ready_at_utc from gnomon_data.deliveries as x
                                  where x.lane = p.lane::smallint and x.channel = c.channel and x.shard = p.shard::smallint and x.ready_at_utc <= now_utc
                                  order by x.ready_at_utc limit 1) as d) as r
     group by r.lane
     order by 1 desc, 3;
end
$$;

comment on function gnomon.oldest_overdue() is
    'Since when the oldest timer waits to be fired and the oldest delivery to be claimed (or its lease has been over), by lane; no row where nothing waits.';
revoke all on function gnomon.oldest_overdue() from public;
grant execute on function gnomon.oldest_overdue() to gnomon_reader, gnomon_worker;
