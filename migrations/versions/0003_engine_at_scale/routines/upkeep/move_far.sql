-- In small batches: a period that comes near may hold millions. Never waits: who holds a row is about to delete it. Only up to
-- a hole among the periods: put_timers would write beyond it to far again, and upkeep would not come to an end.
create or replace function gnomon.move_far(at_most int) returns int
language plpgsql volatile security definer set search_path = ''
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
as $$
declare
    now_utc timestamptz;
    moved gnomon_data.timers[];
begin
    perform pg_current_xact_id();
    now_utc := gnomon_data.now_utc();
    with gone as (
        delete from gnomon_data.timers_far as t
         where t.ctid = any (array(
            select d.ctid
              from (select x.near_from_utc, least(x.near_until_utc, gnomon_data.first_hole(x.near_from_utc, x.near_until_utc)) as near_until_utc
                      from gnomon_data.horizon as x) as h
             cross join generate_series(0, 2) as l (lane)
             cross join generate_series(0, 63) as s (shard)
             cross join lateral (
                   select i.ctid from gnomon_data.timers_far as i
                    where i.shard = s.shard and i.lane = l.lane and i.fire_at_utc >= h.near_from_utc and i.fire_at_utc < h.near_until_utc
                    order by i.fire_at_utc, i.subject_id limit at_most for update skip locked) as d
             limit at_most))
        returning t.*)
    select array_agg(gone::gnomon_data.timers) into moved from gone;
    if moved is null then
        return 0;
    end if;
    perform gnomon_data.put_timers(moved, now_utc);
    return cardinality(moved);
end
$$;

comment on function gnomon.move_far(int) is 'Moves at most that many far timers into the periods that exist by now; how many were moved.';
revoke all on function gnomon.move_far(int) from public;
grant execute on function gnomon.move_far(int) to gnomon_worker;
