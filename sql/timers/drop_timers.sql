-- One leaf after the other, each with a plan of its own. Timers that somebody holds, and those that had been set back, stay:
-- stale, since their schedule is gone or has another stamp.
create or replace function gnomon_data.drop_timers(shard smallint, given gnomon_data.timers[]) returns void
language plpgsql volatile set search_path = ''
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
    leaf record;
begin
    for leaf in
        select p.period, array_agg(t) as timers
          from unnest(given) as t
          left join gnomon_data.periods as p on p.parent = 'timers' and t.fire_at_utc >= p.from_utc and t.fire_at_utc < p.until_utc
               and to_regclass('gnomon_data.' || p.period) is not null
         group by p.period
    loop
        execute format($sql$
            delete from gnomon_data.%1$I as t using (
                select i.ctid, g.subject_id, g.lane, g.fire_at_utc
                  from gnomon_data.one_by_one($1) as g
                 cross join lateral (
                       select x.ctid from gnomon_data.%1$I as x
                        where x.shard = %2$s and x.lane = g.lane and x.fire_at_utc = g.fire_at_utc and x.subject_id = g.subject_id
                          and x.stamp = g.stamp for update skip locked) as i) as d
             where t.ctid = d.ctid and t.shard = %2$s and t.lane = d.lane and t.fire_at_utc = d.fire_at_utc and t.subject_id = d.subject_id
            $sql$, coalesce(leaf.period, 'timers_far'), shard)
        using leaf.timers;
    end loop;
end
$$;

comment on function gnomon_data.drop_timers(smallint, gnomon_data.timers[]) is
    'Deletes timers of a shard by their full keys, those that nobody holds.';
