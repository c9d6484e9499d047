-- The histogram of a part of one day's log: what was settled between two instants, found from a block on. Cumulative, as the
-- answer is.
create or replace function gnomon_data.lateness_since(period text, from_block bigint, from_utc timestamptz, until_utc timestamptz)
returns table (lane smallint, le double precision, count bigint, sum_seconds double precision)
language plpgsql stable set search_path = ''
as $$
begin
    if to_regclass(format('gnomon_data.%I', period)) is null then
        return;
    end if;
    return query execute format($sql$
        with late as materialized (
            select g.lane, greatest(extract(epoch from g.first_claimed_at_utc - g.due_at_utc), 0)::double precision as seconds
              from gnomon_data.%I as g
             where g.ctid >= %L::tid and g.settled_at_utc >= $1 and g.settled_at_utc < $2 and g.first_claimed_at_utc is not null
        )
        select t.lane, b.le, count(*) filter (where t.seconds <= b.le), sum(t.seconds)
          from late as t
         cross join unnest(gnomon_data.lateness_bounds()) as b (le)
         group by t.lane, b.le
        $sql$, period, format('(%s,0)', from_block))
    using from_utc, until_utc;
end
$$;

comment on function gnomon_data.lateness_since(text, bigint, timestamptz, timestamptz) is
    'Lateness of what was settled in [from_utc, until_utc) in a day of delivery_log, looked for from a block on: cumulative counts by upper bound in seconds, and the sum.';
