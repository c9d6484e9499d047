-- From the end of the log, since it only grows and has no index by the instant of settling: 512 pages of each day in question.
-- From the first end that is found until now, so that a wave that has begun five seconds ago is not spread over a minute; at a
-- rate where 512 pages hold less than a minute the same quotient is right.
create or replace function gnomon_data.recent_ends(days date[], now_utc timestamptz)
returns table (lane smallint, channel text, ended_a_second double precision)
language plpgsql stable set search_path = ''
set enable_seqscan = off set enable_bitmapscan = off
as $$
declare
    looks text;
begin
    select string_agg(format($sql$
            select g.lane, g.channel, count(*), min(g.settled_at_utc) from gnomon_data.%I as g
             where g.ctid >= '(%s,0)'::tid and g.settled_at_utc > $1 - interval '60 s' and g.settled_at_utc <= $1
             group by g.lane, g.channel
            $sql$, p.period, greatest(pg_relation_size(p.found) / current_setting('block_size')::int - 512, 0)), ' union all ')
      into looks
      from (select n.period, to_regclass(format('gnomon_data.%I', n.period)) as found
              from (select distinct gnomon_data.period_name('delivery_log', d.day::timestamp at time zone 'UTC') as period
                      from unnest(days) as d (day) where d.day is not null) as n) as p
     where p.found is not null;
    if looks is null then
        return;
    end if;
    return query execute format($sql$
        select e.lane, e.channel, sum(e.count / greatest(extract(epoch from $1 - e.first_utc), 1))::double precision
          from (%s) as e (lane, channel, count, first_utc) group by e.lane, e.channel
        $sql$, looks)
    using now_utc;
end
$$;

comment on function gnomon_data.recent_ends(date[], timestamptz) is
    'Ends a second by lane and channel in the last minute, of deliveries that were due on these days (UTC).';
