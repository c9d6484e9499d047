-- All that a cancel locks is locked here first and in its order, without waiting: the key, the schedule, its deliveries. Then
-- it is asked again, since an edit that was under way may have changed what it belongs to.
create or replace function gnomon_data.sweep_one(shard smallint, schedule_id uuid) returns text
language plpgsql volatile
set enable_seqscan = off set enable_bitmapscan = off
as $$
declare
    hash bytea;
begin
    select gnomon_data.key_hash(k.user_id, k.key) into hash
      from (select s.user_id, s.key from gnomon_data.schedules as s where s.shard = sweep_one.shard and s.id = sweep_one.schedule_id
            union all
            select d.user_id, d.key from gnomon_data.deliveries as d
             where d.shard = sweep_one.shard and d.schedule_id = sweep_one.schedule_id) as k
     where k.key is not null limit 1;
    if hash is not null and exists (select from gnomon_data.schedule_keys as k where k.shard = sweep_one.shard and k.kind = 1 and k.key_hash = hash) then
        perform from gnomon_data.schedule_keys as k
          where k.shard = sweep_one.shard and k.kind = 1 and k.key_hash = hash for update skip locked;
        if not found then
            return 'held';
        end if;
    end if;
    perform from gnomon_data.schedules as s where s.shard = sweep_one.shard and s.id = sweep_one.schedule_id for update skip locked;
    if not found and exists (select from gnomon_data.schedules as s where s.shard = sweep_one.shard and s.id = sweep_one.schedule_id) then
        return 'held';
    end if;
    if not gnomon_data.lock_deliveries(sweep_one.shard, sweep_one.schedule_id) then
        return 'held';
    elsif not gnomon_data.is_doomed_id(shard, schedule_id) then
        return 'lives';
    end if;
    perform gnomon_data.cancel(shard, schedule_id);
    return 'swept';
end
$$;

comment on function gnomon_data.sweep_one(smallint, uuid) is
    'Cancels a schedule that a mass cancel means: swept, held (by others, look again) or lives. Waits for nobody.';
