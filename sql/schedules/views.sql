-- For joins with the caller's own tables, such as "which of my reminders have no pill any more". What is pending only.
-- What a mass cancel means is not, what a mass pause holds is paused, swept or not; what a mass reschedule means is rescheduling
-- until its sweep has come, and fire_at_utc that of the old plan, by which nothing fires any more. Written out, since whoever reads a view
-- needs the rights on what its functions read.
create or replace view gnomon.schedules as
select gnomon_data.id_text('sch', s.id) as schedule_id, s.user_id, s.template_id, s.key, s.labels,
       case when s.paused_at_utc is not null or coalesce(
                (select not p.is_resume from gnomon_data.mass_pauses as p
                  where (p.target = 'user::' || s.user_id or p.target = 'template::' || s.template_id
                         or exists (select from jsonb_each_text(s.labels) as l
                                     where p.target = 'label:' || char_length(l.key) || ':' || l.key || l.value))
                    and p.changes_at_utc is null and p.operation_id <> all (coalesce(s.spared_by, '{}'))
                  order by p.place desc limit 1), false) then 'paused'
            when exists (
                 select from gnomon_data.mass_pauses as p
                  where (p.target = 'user::' || s.user_id or p.target = 'template::' || s.template_id
                         or exists (select from jsonb_each_text(s.labels) as l
                                     where p.target = 'label:' || char_length(l.key) || ':' || l.key || l.value))
                    and p.changes_at_utc < s.fire_at_utc and p.operation_id <> all (coalesce(s.spared_by, '{}'))) then 'rescheduling'
            when exists (select from gnomon_data.set_aside as a where a.shard = s.shard and a.id = s.id and a.stamp = s.stamp) then 'set_aside'
            else 'scheduled' end as status,
       s.fire_at_utc, s.time_zone, s.time_zone_source, s.version, s.category
  from gnomon_data.schedules as s
 where not exists (
       select from gnomon_data.mass_cancels as c
        where (c.target = 'user::' || s.user_id or c.target = 'template::' || s.template_id
               or exists (select from jsonb_each_text(s.labels) as l
                           where c.target = 'label:' || char_length(l.key) || ':' || l.key || l.value))
          and c.operation_id <> all (coalesce(s.spared_by, '{}')));

comment on view gnomon.schedules is 'Pending one-shots and active recurrences. The view is a contract, the tables behind it are not.';
grant select on gnomon.schedules to gnomon_caller, gnomon_reader;
