-- What could not be fired or handed over and waits for somebody to mend it and to call gnomon.retry_set_aside.
create or replace view gnomon.set_aside as
select a.what, gnomon_data.id_text('sch', a.schedule_id) as schedule_id,
       case when a.what = 'delivery' then gnomon_data.id_text('dlv', a.id) end as delivery_id,
       a.content ->> 'user_id' as user_id, a.content ->> 'template_id' as template_id, gnomon_data.lane_name(a.lane) as lane,
       a.due_at_utc, a.error_code, a.error_text, a.set_aside_at_utc
  from gnomon_data.set_aside as a
 where gnomon_data.is_still_aside(a);

comment on view gnomon.set_aside is 'Schedules and deliveries that raised an error when they were fired or handed over, and are kept out of the way of the others.';
grant select on gnomon.set_aside to gnomon_reader;
