-- Of a course whose last occurrence was fired ahead there is no schedule any more, only its deliveries; they know which
-- occurrence they are. Asked before they are taken back: in a batch a refused item must leave them where they are.
create or replace function gnomon_data.take_over_count(d gnomon_data.draft, old_id uuid, now_utc timestamptz) returns gnomon_data.draft
language plpgsql volatile
as $$
declare
    counted int;
begin
    select q.occurrence - 1 into counted from gnomon_data.deliveries as q
     where q.shard = d.shard and q.schedule_id = old_id and q.due_at_utc > now_utc and q.occurrence > 0 order by q.occurrence desc limit 1;
    if counted > 0 and (d.compiled ->> 'end_after')::int <= counted then
        d.fault := gnomon_data.field_fault('GN012', '/recurrence/end_after', format('has been reached: it has fired %s times', counted));
    elsif (gnomon_data.withdraw_undue(d.shard, old_id, now_utc)).is_withdrawn and d.is_recurring then
        d.fired_count := counted;
    end if;
    return d;
end
$$;

comment on function gnomon_data.take_over_count(gnomon_data.draft, uuid, timestamptz) is
    'Takes back what was fired ahead of a schedule that has no row any more, and gives the draft its count; GN012 when end_after lies behind it.';
