-- Keys, schedules and what is on its way are locked without waiting, in the order of every edit; asked then whether they are
-- meant. All at once; where one raises, again with each apart, so that it is refused and the others go on.
create or replace function gnomon_data.sweep_changes(o gnomon_data.operations, ids uuid[], out swept_count int, out held_count int)
language plpgsql volatile
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
declare
    locked record;
    meant record;
    code text;
    constraint_hit text;
begin
    locked := gnomon_data.lock_many(o.after_shard, ids);
    select array_agg(s.id) filter (where s.is_free) as free, count(*) filter (where not s.is_free) as busy into meant
      from gnomon_data.one_by_one(locked.locked) as g (id)
     cross join lateral (
           select x.id, not x.is_recurring or gnomon_data.lock_deliveries(x.shard, x.id) as is_free
             from gnomon_data.schedules as x
            where x.shard = o.after_shard and x.id = g.id
              and gnomon_data.is_meant(o, x.user_id, x.template_id, x.labels, x.spared_by)
              and not gnomon_data.is_doomed(x.user_id, x.template_id, x.labels, x.spared_by) limit 1) as s;
    held_count := locked.held_count + meant.busy;
    swept_count := coalesce(cardinality(meant.free), 0);
    if swept_count = 0 then
        return;
    end if;
    begin
        perform gnomon_data.change_each(o.after_shard, meant.free, false);
        return;
    exception when others then
        get stacked diagnostics code = returned_sqlstate, constraint_hit = constraint_name;
        if not gnomon_data.is_poison(code, constraint_hit) then
            raise;
        end if;
    end;
    perform gnomon_data.change_each(o.after_shard, meant.free, true);
end
$$;

comment on function gnomon_data.sweep_changes(gnomon_data.operations, uuid[]) is
    'Really reschedules these schedules of a shard; how many were decided, and how many others hold. Waits for nobody.';
