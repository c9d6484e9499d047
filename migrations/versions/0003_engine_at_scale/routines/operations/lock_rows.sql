create or replace function gnomon_data.lock_rows(shard smallint, ids uuid[], out locked uuid[], out held_count int)
language plpgsql volatile
set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan
as $$
begin
    select array_agg(s.id) into locked
      from gnomon_data.one_by_one(ids) as g (id)
     cross join lateral (select x.id from gnomon_data.schedules as x where x.shard = lock_rows.shard and x.id = g.id for update skip locked) as s;
    locked := coalesce(locked, '{}');
    held_count := 0;
    if cardinality(locked) < cardinality(ids) then
        select count(*) into held_count
          from (select unnest(ids) as id except select unnest(locked)) as g
         where exists (select from gnomon_data.schedules as x where x.shard = lock_rows.shard and x.id = g.id);
    end if;
end
$$;

comment on function gnomon_data.lock_rows(smallint, uuid[]) is
    'Locks schedules of a shard for this transaction without waiting; held: by others.';
