create or replace function gnomon_data.is_doomed_id(shard smallint, schedule_id uuid) returns boolean
language sql stable
as $$
    select coalesce(
        (select gnomon_data.is_doomed(s.user_id, s.template_id, s.labels, s.spared_by) from gnomon_data.schedules as s
          where s.shard = is_doomed_id.shard and s.id = is_doomed_id.schedule_id),
        (select bool_or(gnomon_data.is_doomed(d.user_id, d.template_id, d.labels, d.spared_by)) from gnomon_data.deliveries as d
          where d.shard = is_doomed_id.shard and d.schedule_id = is_doomed_id.schedule_id and not d.is_stopped),
        false)
$$;

comment on function gnomon_data.is_doomed_id(smallint, uuid) is
    'Whether a mass cancel in effect means this schedule, or, where it has fired, a delivery of it that is under way.';
