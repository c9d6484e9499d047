-- Locked first, asked then, in a statement of its own: an edit that was under way may have changed what they belong to, and
-- whoever could give them deliveries needs their rows. Those that have some are for the sweep of one.
create or replace function gnomon_data.sweep_many(o gnomon_data.operations, ids uuid[], out swept_count int, out held_count int)
language plpgsql volatile
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
declare
    locked record;
    meant record;
    each record;
begin
    locked := gnomon_data.lock_many(o.after_shard, ids);
    swept_count := 0;
    held_count := locked.held_count;
    select array_agg(s.id) filter (where not s.has_deliveries) as bare, array_agg(s.id) filter (where s.has_deliveries) as fired into meant
      from gnomon_data.one_by_one(locked.locked) as g (id)
     cross join lateral (
           select x.id, exists (select from gnomon_data.deliveries as d where d.shard = o.after_shard and d.schedule_id = x.id) as has_deliveries
             from gnomon_data.schedules as x
            where x.shard = o.after_shard and x.id = g.id
              and gnomon_data.is_meant(o, x.user_id, x.template_id, x.labels, x.spared_by) limit 1) as s;
    if meant.bare is not null then
        swept_count := gnomon_data.cancel_many(o.after_shard, meant.bare, gnomon_data.now_utc());
    end if;
    each := gnomon_data.sweep_each(o, meant.fired);
    swept_count := swept_count + each.swept_count;
    held_count := held_count + each.held_count;
end
$$;

comment on function gnomon_data.sweep_many(gnomon_data.operations, uuid[]) is
    'Cancels of these schedules of a shard what an operation means; how many, and how many others hold. Waits for nobody.';
