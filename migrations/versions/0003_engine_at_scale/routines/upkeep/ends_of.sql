-- What ended in a shard from one instant on until another, by the day of acceptance. A schedule is counted with its first end. A
-- cancel may come after the fire that ended it: while its delivery waits, so not before its instant less the look-ahead; only
-- for such a cancel is it asked whether the schedule had ended before.
create or replace function gnomon_data.ends_of(shard smallint, from_utc timestamptz, until_utc timestamptz)
returns table (accepted_on date, ended_count bigint)
language sql stable
as $$
    select (gnomon_data.at_of_id(e.schedule_id) at time zone 'UTC')::date, count(*)
      from (select distinct o.schedule_id from gnomon_data.occurrence_log as o
             where o.shard = ends_of.shard and o.is_last and o.logged_at_utc >= from_utc and o.logged_at_utc < until_utc
               and not (o.outcome = 'cancelled' and o.fire_at_utc < o.logged_at_utc + interval '1 min'
                        and exists (select from gnomon_data.occurrence_log as b
                                     where b.shard = o.shard and b.schedule_id = o.schedule_id and b.is_last and b.logged_at_utc < from_utc))) as e
     group by 1
$$;

comment on function gnomon_data.ends_of(smallint, timestamptz, timestamptz) is
    'How many schedules of a shard ended in a stretch of occurrence_log, by the day (UTC) of acceptance; each once, with its first end.';
