-- In the order of a cancel: the natural key and with it the dedup key, then the schedule. Without waiting, so whose key or row
-- another one holds is left out. A schedule may have no key row any more: its key went on to a later one that was cancelled.
create or replace function gnomon_data.lock_many(shard smallint, ids uuid[], out locked uuid[], out held_count int)
language plpgsql volatile
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
declare
    unlocked record;
    busy uuid[];
    rows record;
begin
    select array_agg(g.id) as ids, array_agg(h.kind) as kinds, array_agg(h.key_hash) as hashes into unlocked
      from gnomon_data.one_by_one(ids) as g (id)
     cross join lateral (select x.user_id, x.dedup_key, x.key from gnomon_data.schedules as x
                          where x.shard = lock_many.shard and x.id = g.id and (x.dedup_key is not null or x.key is not null) limit 1) as s
     cross join lateral (values (0::smallint, gnomon_data.key_hash(s.user_id, s.dedup_key)),
                                (1::smallint, gnomon_data.key_hash(s.user_id, s.key))) as h (kind, key_hash)
      left join lateral (select true as is_locked from gnomon_data.schedule_keys as k
                          where k.shard = lock_many.shard and k.kind = h.kind and k.key_hash = h.key_hash for update skip locked) as l on true
     where h.key_hash is not null and l.is_locked is null;
    if unlocked.ids is not null then
        select array_agg(distinct u.id) into busy from unnest(unlocked.ids, unlocked.kinds, unlocked.hashes) as u (id, kind, key_hash)
         where exists (select from gnomon_data.schedule_keys as k
                        where k.shard = lock_many.shard and k.kind = u.kind and k.key_hash = u.key_hash);
    end if;
    rows := gnomon_data.lock_rows(shard, case when busy is null then ids else array(select unnest(ids) except select unnest(busy)) end);
    locked := rows.locked;
    held_count := rows.held_count + coalesce(cardinality(busy), 0);
end
$$;

comment on function gnomon_data.lock_many(smallint, uuid[]) is
    'Locks schedules of a shard with their keys, for this transaction; held: by others, who may change what they belong to.';
