-- An edit writes its row anew by delete and insert: whoever waited for it finds nothing in the old place, and looks again.
-- No key is locked: what is changed here is changed in place, so that an upsert that waits for the row finds it. Only a mass
-- reschedule that comes first (caught_up) may write anew, and the key with it: then the key goes before the row, as in an edit.
create or replace function gnomon_data.lock_schedule(shard smallint, schedule_id uuid, expected_version int) returns gnomon_data.schedules
language plpgsql volatile
as $$
declare
    s gnomon_data.schedules;
begin
    if gnomon_data.has_changes() then
        perform from gnomon_data.schedules as x
           join gnomon_data.schedule_keys as k on k.shard = x.shard and k.kind = 1 and k.key_hash = gnomon_data.key_hash(x.user_id, x.key)
          where x.shard = lock_schedule.shard and x.id = lock_schedule.schedule_id for update of k;
    end if;
    loop
        select x.* into s from gnomon_data.schedules as x
         where x.shard = lock_schedule.shard and x.id = lock_schedule.schedule_id for update;
        exit when s.id is not null or not exists (select from gnomon_data.schedules as x
                                                   where x.shard = lock_schedule.shard and x.id = lock_schedule.schedule_id);
    end loop;
    if s.id is null then
        perform gnomon_data.refuse_change(lock_schedule.shard, lock_schedule.schedule_id, gnomon_data.now_utc());
    elsif gnomon_data.is_doomed(s.user_id, s.template_id, s.labels, s.spared_by) then
        perform gnomon_data.fail('GN025', 'the schedule is cancelled: nothing to change');
    elsif expected_version <> s.version then
        perform gnomon_data.fail('GN021', format('version %s is stale, the schedule is at %s', expected_version, s.version),
            'read it again and repeat the change');
    end if;
    return gnomon_data.caught_up(s, gnomon_data.now_utc());
end
$$;

comment on function gnomon_data.lock_schedule(smallint, uuid, int) is
    'Locks a live schedule for this transaction; GN020, GN025 or GN029 when it has no row, GN021 for another version than expected.';
