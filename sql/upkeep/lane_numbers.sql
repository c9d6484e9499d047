-- What waits is ready and with no worker, an expired lease included. Its ends are looked for on the days on which they are logged:
-- today, yesterday, and the day of the oldest that waits.
create or replace function gnomon.lane_numbers()
returns table (lane text, channel text, lag_seconds double precision, oldest_due_at_utc timestamptz, waiting_count bigint, is_estimate boolean,
               in_flight_count bigint, has_more_in_flight boolean, ended_a_second double precision, drain_seconds double precision)
language plpgsql stable security definer set search_path = ''
as $$
declare
    now_utc constant timestamptz := gnomon_data.now_utc();
    today constant date := (now_utc at time zone 'UTC')::date;
begin
    return query
    with queues as materialized (
        select l.lane as number, q.*
          from unnest(array[0, 1, 2]::smallint[]) as l (lane)
         cross join lateral gnomon_data.queue_of_lane(l.lane, now_utc) as q
    ), sampled as materialized (
        select l.number, s.channel, s.waiting_count
          from (select distinct q.number from queues as q where q.waiting_count >= 1000) as l
         cross join lateral gnomon_data.sample_of_lane(l.number, now_utc) as s
    ), ends as materialized (
        select e.* from gnomon_data.recent_ends(
            (select array_agg((q.oldest_due_at_utc at time zone 'UTC')::date) from queues as q) || today || (today - 1), now_utc) as e
    ), told as (
        select q.*, q.waiting_count >= 1000 as is_about, coalesce(e.ended_a_second, 0) as rate,
               case when q.waiting_count >= 1000 then greatest(q.waiting_count, s.waiting_count) else q.waiting_count end as waiting
          from queues as q
          left join sampled as s on s.number = q.number and s.channel = q.channel
          left join ends as e on e.lane = q.number and e.channel = q.channel
    )
    select gnomon_data.lane_name(t.number), t.channel,
           coalesce(extract(epoch from now_utc - t.first_ready_at_utc), 0)::double precision, t.oldest_due_at_utc, t.waiting, t.is_about,
           t.in_flight_count, t.has_more_in_flight, t.rate, t.waiting / nullif(t.rate, 0)
      from told as t order by t.number, t.channel;
end
$$;

comment on function gnomon.lane_numbers() is
    'The queue of each lane and channel that was ever used: how long its first has waited to be claimed, the earliest due instant that waits, how many wait (is_estimate: 1,000 or more, told from a sample) and are with a worker, ends a second over the last minute, and how long the rest takes at that rate (null where nothing ends).';
revoke all on function gnomon.lane_numbers() from public;
grant execute on function gnomon.lane_numbers() to gnomon_reader, gnomon_worker;
