-- Of a recurrence that was fired ahead, the occurrence that is about to come is a delivery already.
create or replace function gnomon_data.pending_fire_at(s gnomon_data.schedules) returns timestamptz
language sql volatile
as $$
    select coalesce(case when s.is_recurring then (select min(d.due_at_utc) from gnomon_data.deliveries as d
                        where d.shard = s.shard and d.schedule_id = s.id and d.due_at_utc > gnomon_data.now_utc() and d.claim_id is null) end,
                    s.fire_at_utc)
$$;

comment on function gnomon_data.pending_fire_at(gnomon_data.schedules) is 'When the pending occurrence of a schedule fires.';
