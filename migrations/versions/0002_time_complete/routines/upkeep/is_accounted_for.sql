create or replace function gnomon_data.is_accounted_for(shard smallint, schedule_id uuid) returns boolean
language sql stable
as $$
    select exists (select from gnomon_data.schedules as s where s.shard = is_accounted_for.shard and s.id = is_accounted_for.schedule_id)
        or exists (select from gnomon_data.occurrence_log as o
                    where o.shard = is_accounted_for.shard and o.schedule_id = is_accounted_for.schedule_id and o.is_last)
$$;

comment on function gnomon_data.is_accounted_for(smallint, uuid) is 'Whether a schedule is live or known to have ended.';
