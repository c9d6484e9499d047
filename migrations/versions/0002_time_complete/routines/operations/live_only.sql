-- Their timers are taken and go: nothing of them will fire, and the sweep ends them.
create or replace function gnomon_data.live_only(inout shards smallint[], inout ids uuid[])
language sql stable
as $$
    select array_agg(s.shard), array_agg(s.id)
      from unnest(shards, ids) as g (shard, id)
     cross join lateral (select x.shard, x.id, x.user_id, x.template_id, x.labels, x.spared_by from gnomon_data.schedules as x where x.shard = g.shard and x.id = g.id limit 1) as s
     where not (gnomon_data.may_be_meant(s.user_id, s.template_id, s.labels, (select array_agg(c.target) from gnomon_data.mass_cancels as c), '{}')
           and gnomon_data.is_doomed(s.user_id, s.template_id, s.labels, s.spared_by))
$$;

comment on function gnomon_data.live_only(smallint[], uuid[]) is 'Those schedules that no mass cancel in effect means; null when there are none.';
