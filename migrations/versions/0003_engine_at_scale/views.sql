-- schedules/views.sql

-- For joins with the caller's own tables, such as "which of my reminders have no pill any more". What is pending only.
create or replace view gnomon.schedules as
select gnomon_data.id_text('sch', s.id) as schedule_id, s.user_id, s.template_id, s.key, s.labels,
       case when s.paused_at_utc is not null then 'paused'
            when exists (select from gnomon_data.set_aside as a where a.shard = s.shard and a.id = s.id and a.stamp = s.stamp) then 'set_aside'
            else 'scheduled' end as status,
       s.fire_at_utc, s.time_zone, s.time_zone_source, s.version
  from gnomon_data.schedules as s;

comment on view gnomon.schedules is 'Pending one-shots and active recurrences. The view is a contract, the tables behind it are not.';
grant select on gnomon.schedules to gnomon_caller, gnomon_reader;

-- upkeep/views.sql

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
