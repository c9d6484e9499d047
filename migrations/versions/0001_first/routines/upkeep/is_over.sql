create or replace function gnomon_data.is_over(shard smallint, schedule_id uuid) returns boolean
language sql stable
as $$
    select not exists (select from gnomon_data.schedules as s where s.shard = is_over.shard and s.id = is_over.schedule_id)
       and not exists (select from gnomon_data.deliveries as d where d.shard = is_over.shard and d.schedule_id = is_over.schedule_id)
$$;

comment on function gnomon_data.is_over(smallint, uuid) is 'Whether nothing of a schedule is pending, queued or being sent.';
