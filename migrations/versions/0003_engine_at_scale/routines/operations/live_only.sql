-- The others' timers are taken and go: nothing of what a cancel means will fire, and the sweep ends it; what a pause means
-- gets a timer from the resume, what a reschedule means from its sweep.
create or replace function gnomon_data.live_only(inout shards smallint[], inout ids uuid[])
language sql stable
as $$
    select array_agg(s.shard), array_agg(s.id)
      from unnest(shards, ids) as g (shard, id)
     cross join lateral (select x.shard, x.id, x.user_id, x.template_id, x.labels, x.spared_by, x.fire_at_utc from gnomon_data.schedules as x where x.shard = g.shard and x.id = g.id limit 1) as s
     where not (gnomon_data.may_be_meant(s.user_id, s.template_id, s.labels, (select array_agg(o.target) from (select c.target from gnomon_data.mass_cancels as c union all select p.target from gnomon_data.mass_pauses as p) as o), '{}')
           and (gnomon_data.is_doomed(s.user_id, s.template_id, s.labels, s.spared_by)
                or gnomon_data.is_held(s.user_id, s.template_id, s.labels, s.spared_by)
                or gnomon_data.is_changing(s.user_id, s.template_id, s.labels, s.spared_by, s.fire_at_utc)))
$$;

comment on function gnomon_data.live_only(smallint[], uuid[]) is 'Those schedules that no mass cancel in effect means and no mass pause or reschedule holds; null when there are none.';
