-- Pending is a schedule row, or deliveries fired ahead whose instant has not come; a recurrence fired ahead is both, and
-- counts once with the earlier instant.
create or replace function gnomon_data.pending_of_user(user_id text)
returns table (id uuid, template_id text, fire_at_utc timestamptz, pattern text, key text, lane smallint, time_zone text, status text,
    version int)
language sql volatile
as $$
    with ahead as (
        select d.schedule_id, min(d.due_at_utc) as due_at_utc, min(d.template_id) as template_id, min(d.key) as key, min(d.lane) as lane,
               min(d.time_zone) as time_zone
          from gnomon_data.deliveries as d
         where d.shard = gnomon_data.shard_of(pending_of_user.user_id) and d.user_id = pending_of_user.user_id
           and d.due_at_utc > gnomon_data.now_utc() and d.claim_id is null
           and not (gnomon_data.has_cancels() and gnomon_data.is_doomed_delivery(d.shard, d.schedule_id, d.user_id, d.template_id, d.labels, d.spared_by))
         group by d.schedule_id
    )
    select coalesce(s.id, a.schedule_id), coalesce(s.template_id, a.template_id), coalesce(a.due_at_utc, s.fire_at_utc),
           s.when_words #>> '{recurrence,pattern}', coalesce(s.key, a.key), coalesce(s.lane, a.lane), coalesce(s.time_zone, a.time_zone),
           case when s.is_paused then 'paused' when s.is_changing then 'rescheduling'
                when gnomon_data.is_set_aside(s.shard, s.id, s.stamp) then 'set_aside' else 'scheduled' end, coalesce(s.version, 1)
      from (select x.*, gnomon_data.is_paused(x) as is_paused,
                   gnomon_data.has_changes() and gnomon_data.is_changing(x.user_id, x.template_id, x.labels, x.spared_by, x.fire_at_utc) as is_changing
              from gnomon_data.schedules as x
             where x.shard = gnomon_data.shard_of(pending_of_user.user_id) and x.user_id = pending_of_user.user_id
               and not (gnomon_data.has_cancels() and gnomon_data.is_doomed(x.user_id, x.template_id, x.labels, x.spared_by))) as s
      full join ahead as a on a.schedule_id = s.id
$$;

comment on function gnomon_data.pending_of_user(text) is 'All that is pending for a user, each schedule once.';
