-- For whoever is to make something new in the place of a schedule: what a mass cancel means is over, swept or not.
create or replace function gnomon_data.end_doomed(shard smallint, schedule_id uuid) returns boolean
language plpgsql volatile
as $$
begin
    if not gnomon_data.has_cancels() or not gnomon_data.is_doomed_id(shard, schedule_id) then
        return false;
    end if;
    perform gnomon_data.cancel(shard, schedule_id);
    return true;
end
$$;

comment on function gnomon_data.end_doomed(smallint, uuid) is
    'Cancels a schedule that a mass cancel in effect means, ahead of the sweep; whether it did. The caller holds its key and schedule.';
