-- What could not be fired or handed over and waits for somebody to mend it and to call gnomon.retry_set_aside; not what has been
-- cancelled or changed since. Written out, since whoever reads a view needs the rights on what its functions read.
create or replace view gnomon.set_aside as
select a.what, gnomon_data.id_text('sch', a.schedule_id) as schedule_id,
       case when a.what = 'delivery' then gnomon_data.id_text('dlv', a.id) end as delivery_id,
       a.content ->> 'user_id' as user_id, a.content ->> 'template_id' as template_id, gnomon_data.lane_name(a.lane) as lane,
       a.due_at_utc, a.error_code, a.error_text, a.set_aside_at_utc
  from gnomon_data.set_aside as a
 where a.is_only_copy
    or a.what = 'schedule' and exists (
       select from gnomon_data.schedules as s where s.shard = a.shard and s.id = a.id and s.stamp = a.stamp)
    or a.what = 'delivery' and exists (
       select from gnomon_data.deliveries as d
        where d.lane = a.lane and d.shard = a.shard and d.id = a.id and d.ready_at_utc = gnomon_data.never_utc());

comment on view gnomon.set_aside is 'Schedules and deliveries that raised an error when they were fired or handed over, and are kept out of the way of the others.';
grant select on gnomon.set_aside to gnomon_reader;
