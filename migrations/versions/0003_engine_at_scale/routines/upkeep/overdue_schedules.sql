-- The check that is independent of the time plane: a live schedule whose instant is over by a minute has no timer that
-- anybody found. Walks the definitions; once an hour.
create or replace function gnomon.overdue_schedules(at_most int default 100)
returns table (schedule_id text, fire_at_utc timestamptz)
language sql stable security definer set search_path = ''
as $$
    select gnomon_data.id_text('sch', s.id), s.fire_at_utc
      from gnomon_data.schedules as s
     where s.fire_at_utc < gnomon_data.now_utc() - interval '1 min' and not gnomon_data.is_paused(s)
       and not (gnomon_data.has_changes() and gnomon_data.is_changing(s.user_id, s.template_id, s.labels, s.spared_by, s.fire_at_utc))
       and not gnomon_data.is_set_aside(s.shard, s.id, s.stamp)
       and not (gnomon_data.has_cancels() and gnomon_data.is_doomed(s.user_id, s.template_id, s.labels, s.spared_by))
     limit at_most
$$;

comment on function gnomon.overdue_schedules(int) is 'Live schedules whose instant is over by more than a minute.';
revoke all on function gnomon.overdue_schedules(int) from public;
grant execute on function gnomon.overdue_schedules(int) to gnomon_worker;
