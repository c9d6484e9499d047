-- By the index alone, and bounded whatever waits: of each channel in use and shard the first that is ready, up to 1,000 ready ones in
-- all, and up to 100 a shard of what comes later, among which the leased are told apart. Not a table scan that stops when it has
-- found enough: with a million waiting and few leased it would have read them all. Begun at the proven mark, so that dead entries
-- at the left edge are not stepped over. One lane's statement names the lane's leaf and touches no other.
create or replace function gnomon_data.queue_of_lane(lane smallint, now_utc timestamptz)
returns table (channel text, first_ready_at_utc timestamptz, oldest_due_at_utc timestamptz, waiting_count bigint,
               in_flight_count bigint, has_more_in_flight boolean)
language plpgsql stable set search_path = ''
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
as $$
begin
    return query execute format($sql$
        with used as materialized (
            select distinct c.channel from gnomon_data.channels_in_use as c where c.lane = %2$s
        ), proven as materialized (
            -- A mark of the future was proven before the clock went back.
            select m.shard, m.safe_at_utc from gnomon_data.shard_marks as m
             where m.plane = 'deliveries' and m.lane = %2$s and m.safe_at_utc <= $1
        ), places as materialized (
            select u.channel, s.shard::smallint as shard, coalesce(m.safe_at_utc, '-infinity') as from_utc
              from used as u cross join generate_series(0, 63) as s (shard)
              left join proven as m on m.shard = s.shard::smallint
        )
        select u.channel, f.first_ready_at_utc, f.oldest_due_at_utc, w.waiting_count, l.in_flight_count, coalesce(l.has_more, false)
          from used as u
         cross join lateral (
               select min(x.ready_at_utc) as first_ready_at_utc, min(x.due_at_utc) as oldest_due_at_utc
                 from places as p
                cross join lateral (
                      select d.ready_at_utc, d.due_at_utc from gnomon_data.%1$I as d
                       where d.shard = p.shard and d.channel = p.channel and d.ready_at_utc >= p.from_utc and d.ready_at_utc <= $1
                       order by d.ready_at_utc limit 1) as x
                where p.channel = u.channel) as f
         cross join lateral (
               select count(*) as waiting_count
                 from (select from places as p
                        cross join lateral (
                              select from gnomon_data.%1$I as d
                               where d.shard = p.shard and d.channel = p.channel and d.ready_at_utc >= p.from_utc and d.ready_at_utc <= $1
                               order by d.ready_at_utc limit 1000) as x
                        where p.channel = u.channel limit 1000) as y) as w
         cross join lateral (
               select coalesce(sum(x.leased), 0)::bigint as in_flight_count, bool_or(x.looked_at = 100) as has_more
                 from places as p
                cross join lateral (
                      select count(*) as looked_at, count(*) filter (where y.claimed_until_utc > $1) as leased
                        from (select d.claimed_until_utc from gnomon_data.%1$I as d
                               where d.shard = p.shard and d.channel = p.channel and d.ready_at_utc > $1
                                 and d.ready_at_utc < gnomon_data.never_utc()
                               order by d.ready_at_utc limit 100) as y) as x
                where p.channel = u.channel) as l
        $sql$, 'deliveries_' || gnomon_data.lane_name(lane), lane)
    using now_utc;
end
$$;

comment on function gnomon_data.queue_of_lane(smallint, timestamptz) is
    'A lane by channel: the first that waits, the earliest due instant among the first of each shard, how many wait (up to 1,000) and are with a worker (of up to 100 a shard).';
