create or replace function gnomon_data.lock_deliveries(shard smallint, schedule_id uuid) returns boolean
language plpgsql volatile
set enable_seqscan = off set enable_bitmapscan = off
as $$
declare
    counted int;
begin
    select count(*) into counted
      from (select from gnomon_data.deliveries as d where d.shard = lock_deliveries.shard and d.schedule_id = lock_deliveries.schedule_id
             order by d.shard, d.id for update skip locked) as l;
    return counted = (select count(*) from gnomon_data.deliveries as d
                       where d.shard = lock_deliveries.shard and d.schedule_id = lock_deliveries.schedule_id);
end
$$;

comment on function gnomon_data.lock_deliveries(smallint, uuid) is
    'Locks the deliveries of a schedule for this transaction without waiting; false when others hold some.';
