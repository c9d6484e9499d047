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
