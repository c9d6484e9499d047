-- One period, one slice. A ctid names a row only within its leaf: the slice's bounds therefore stand on BOTH sides.
-- Without the outer ones this deletes rows of seven other leaves. Executed dynamically, so that it is planned for these
-- values: a plan cached when the period was empty cost 50 to 100 ms a call at the herd. Instants are parameters and no
-- text: IST is India's when a session writes it and Israel's when PostgreSQL 17 reads it.
create or replace function gnomon_data.take_timers(
    period text, first_shard smallint, last_shard smallint, lane smallint, shards smallint[],
    after_at timestamptz[], after_id uuid[], until_utc timestamptz, each int) returns gnomon_data.timers[]
language plpgsql volatile set search_path = ''
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
as $$
declare
    taken gnomon_data.timers[];
begin
    execute format($sql$
        with gone as (
            delete from gnomon_data.%1$I as t
             where t.shard between %2$s and %3$s and t.fire_at_utc <= $4
               and t.ctid = any (array(
                select d.ctid
                  from unnest($1, $2, $3) as s (shard, after_at, after_id)
                 cross join lateral (
                       select i.ctid from gnomon_data.%1$I as i
                        where i.shard = s.shard and i.shard between %2$s and %3$s and i.lane = %4$s
                          and (i.fire_at_utc, i.subject_id) > (s.after_at, s.after_id) and i.fire_at_utc <= $4
                        order by i.fire_at_utc, i.subject_id
                        limit %5$s for update skip locked) as d))
            returning t.*)
        select array_agg(gone::gnomon_data.timers) from gone
        $sql$, period, first_shard, last_shard, lane, each)
    into taken using shards, after_at, after_id, until_utc;
    return coalesce(taken, '{}');
end
$$;

comment on function gnomon_data.take_timers(text, smallint, smallint, smallint, smallint[], timestamptz[], uuid[], timestamptz, int) is
    'Deletes and returns the due timers of one lane in the shards of one slice of one period, at most each a shard.';
