-- No key is locked: nothing of a key is changed.
create or replace function gnomon_data.sweep_pauses(o gnomon_data.operations, ids uuid[], out swept_count int, out held_count int)
language plpgsql volatile
as $$
declare
    rows record;
begin
    rows := gnomon_data.lock_rows(o.after_shard, ids);
    held_count := rows.held_count;
    swept_count := gnomon_data.catch_up(o.after_shard, rows.locked, gnomon_data.now_utc());
end
$$;

comment on function gnomon_data.sweep_pauses(gnomon_data.operations, uuid[]) is
    'Really pauses or resumes these schedules of a shard; how many were touched, and how many others hold. Waits for nobody.';
