-- What a balance that is off cannot say: which. Each look goes along an index from a place in it, and is bounded.
--   a timer of a schedule that is neither live nor known to have ended
--   a live schedule without its timer, asked only of what is due later: what is due now may be between the two
--   a fired occurrence of which there is neither a delivery nor a line in the log of deliveries
--   a line there of a schedule that is neither live nor known to have ended
create or replace function gnomon.ledger_faults(shard smallint, look_at int default 1000, at_most int default 20)
returns table (what text, schedule_id text, at_utc timestamptz)
language plpgsql stable security definer set search_path = ''
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
    now_utc constant timestamptz := gnomon_data.now_utc();
    soon_utc constant timestamptz := now_utc + interval '1 min';
    -- Before the log begins nothing is known of ends.
    since_utc constant timestamptz := now_utc - interval '25 days';
begin
    return query
    select 'schedule gone', gnomon_data.id_text('sch', t.subject_id), t.fire_at_utc
      from (select x.subject_id, x.fire_at_utc from generate_series(0, 2) as l (lane)
             cross join lateral (select i.subject_id, i.fire_at_utc from gnomon_data.timers as i
                                  where i.shard = ledger_faults.shard and i.lane = l.lane and i.fire_at_utc > soon_utc
                                  order by i.fire_at_utc limit look_at) as x
            union all
            select x.subject_id, x.fire_at_utc from generate_series(0, 2) as l (lane)
             cross join lateral (select i.subject_id, i.fire_at_utc from gnomon_data.timers_far as i
                                  where i.shard = ledger_faults.shard and i.lane = l.lane
                                  order by i.fire_at_utc limit look_at) as x) as t
     where gnomon_data.at_of_id(t.subject_id) > since_utc and not gnomon_data.is_accounted_for(ledger_faults.shard, t.subject_id)
     limit at_most;
    return query
    select 'timer gone', gnomon_data.id_text('sch', s.id), s.fire_at_utc
      from (select x.id, x.lane, x.fire_at_utc, x.stamp from gnomon_data.schedules as x
             where x.shard = ledger_faults.shard and x.id >= gnomon_data.random_place(ledger_faults.shard, look_at)
               and x.fire_at_utc > soon_utc and x.paused_at_utc is null and not gnomon_data.is_set_aside(x.shard, x.id, x.stamp)
             order by x.id limit look_at) as s
     where not exists (select from gnomon_data.timers as t
                        where t.shard = ledger_faults.shard and t.lane = s.lane and t.fire_at_utc = s.fire_at_utc
                          and t.subject_id = s.id and t.stamp = s.stamp)
       and not exists (select from gnomon_data.timers_far as t
                        where t.shard = ledger_faults.shard and t.lane = s.lane and t.fire_at_utc = s.fire_at_utc
                          and t.subject_id = s.id and t.stamp = s.stamp)
     limit at_most;
    return query
    select 'delivery gone', gnomon_data.id_text('sch', o.schedule_id), o.fire_at_utc
      from (select x.schedule_id, x.notification_id, x.fire_at_utc from gnomon_data.occurrence_log as x
             where x.shard = ledger_faults.shard and x.schedule_id >= gnomon_data.random_place(ledger_faults.shard, look_at)
               and x.outcome = 'fired' and x.fire_at_utc > since_utc
             order by x.schedule_id limit look_at) as o
     where not exists (select from gnomon_data.deliveries as d
                        where d.shard = ledger_faults.shard and d.schedule_id = o.schedule_id and d.notification_id = o.notification_id)
       and not exists (select from gnomon_data.delivery_log as g
                        where g.shard = ledger_faults.shard and g.due_at_utc = o.fire_at_utc and g.notification_id = o.notification_id)
       and not exists (select from gnomon_data.set_aside as a
                        where a.shard = ledger_faults.shard and a.schedule_id = o.schedule_id and a.is_only_copy)
     limit at_most;
    return query
    select 'end gone', gnomon_data.id_text('sch', g.schedule_id), g.due_at_utc
      from (select x.schedule_id, x.due_at_utc from gnomon_data.delivery_log as x
             where x.shard = ledger_faults.shard and x.due_at_utc > since_utc
             order by x.due_at_utc desc limit look_at) as g
     where not gnomon_data.is_accounted_for(ledger_faults.shard, g.schedule_id)
     limit at_most;
end
$$;

comment on function gnomon.ledger_faults(smallint, int, int) is
    'Names what is missing in a shard: schedule gone, timer gone, delivery gone, end gone. Looks at look_at rows for each; schedules and their ends from a random place on; null looks at all.';
revoke all on function gnomon.ledger_faults(smallint, int, int) from public;
grant execute on function gnomon.ledger_faults(smallint, int, int) to gnomon_reader, gnomon_worker;
