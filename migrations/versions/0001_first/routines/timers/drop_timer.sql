-- A courtesy: a timer left behind is stale by its stamp and drops when it comes up. Never waits: a poller may hold it.
create or replace function gnomon_data.drop_timer(shard smallint, lane smallint, fire_at_utc timestamptz, subject_id uuid, stamp bigint)
returns void
language plpgsql volatile set search_path = ''
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
as $$
begin
    delete from gnomon_data.timers as t
     where t.ctid in (select i.ctid from gnomon_data.timers as i
                       where i.shard = drop_timer.shard and i.lane = drop_timer.lane
                         and i.fire_at_utc = drop_timer.fire_at_utc and i.subject_id = drop_timer.subject_id
                         and i.stamp = drop_timer.stamp
                         for update skip locked)
       and t.shard = drop_timer.shard and t.lane = drop_timer.lane
       and t.fire_at_utc = drop_timer.fire_at_utc and t.subject_id = drop_timer.subject_id;
    if not found then
        delete from gnomon_data.timers_far as t
         where t.ctid in (select i.ctid from gnomon_data.timers_far as i
                           where i.shard = drop_timer.shard and i.lane = drop_timer.lane
                             and i.fire_at_utc = drop_timer.fire_at_utc and i.subject_id = drop_timer.subject_id
                             and i.stamp = drop_timer.stamp
                             for update skip locked);
    end if;
end
$$;

comment on function gnomon_data.drop_timer(smallint, smallint, timestamptz, uuid, bigint) is
    'Deletes one timer by its full key if nobody holds it.';
