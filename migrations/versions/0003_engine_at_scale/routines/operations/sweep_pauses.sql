-- No key is locked: nothing of a key is changed. What a reschedule means as well is for the sweep of that; until then it counts
-- as held, so that this one does not end before.
create or replace function gnomon_data.sweep_pauses(o gnomon_data.operations, ids uuid[], out swept_count int, out held_count int)
language plpgsql volatile
as $$
declare
    rows record;
begin
    rows := gnomon_data.lock_rows(o.after_shard, ids);
    swept_count := gnomon_data.catch_up(o.after_shard, rows.locked, gnomon_data.now_utc());
    held_count := rows.held_count;
    if gnomon_data.has_changes() then
        held_count := held_count + (
            select count(*) from gnomon_data.one_by_one(rows.locked) as g (id)
             cross join lateral (
                   select from gnomon_data.schedules as x
                    where x.shard = o.after_shard and x.id = g.id
                      and gnomon_data.is_meant(o, x.user_id, x.template_id, x.labels, x.spared_by)
                      and not gnomon_data.is_doomed(x.user_id, x.template_id, x.labels, x.spared_by) limit 1) as s);
    end if;
end
$$;

comment on function gnomon_data.sweep_pauses(gnomon_data.operations, uuid[]) is
    'Really pauses or resumes these schedules of a shard; how many were touched, and how many others hold. Waits for nobody.';
