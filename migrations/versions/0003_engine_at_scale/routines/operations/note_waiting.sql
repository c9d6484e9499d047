-- Without a key, so that nobody waits for an entry of another. What is noted twice, or has been changed since, is passed over.
create or replace function gnomon_data.note_waiting(shards smallint[], ids uuid[]) returns void
language sql volatile
as $$
    insert into gnomon_data.mass_waiting (operation_id, shard, schedule_id)
    select p.operation_id, s.shard, s.id
      from unnest(shards, ids) as g (shard, id)
     cross join lateral (select x.shard, x.id, x.user_id, x.template_id, x.labels, x.spared_by, x.fire_at_utc
                           from gnomon_data.schedules as x where x.shard = g.shard and x.id = g.id limit 1) as s
     cross join lateral (select m.operation_id from gnomon_data.mass_pauses as m
                          where m.changes_at_utc < s.fire_at_utc
                            and m.target = any (gnomon_data.targets_of(s.user_id, s.template_id, s.labels))
                            and m.operation_id <> all (coalesce(s.spared_by, '{}'))
                          order by m.place limit 1) as p
$$;

comment on function gnomon_data.note_waiting(smallint[], uuid[]) is
    'Notes those of these schedules that a mass reschedule holds, since they would fire now by the old plan.';
