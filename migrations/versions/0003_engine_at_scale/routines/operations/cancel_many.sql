-- What gnomon_data.cancel does, for schedules without deliveries, in one statement: their ends in the ledger with the answer that
-- a repeat gets, their dedup keys kept for their term, their natural keys free. Timers go afterwards.
create or replace function gnomon_data.cancel_many(shard smallint, ids uuid[], now_utc timestamptz) returns int
language plpgsql volatile
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
declare
    timers gnomon_data.timers[];
    cancelled_count int;
begin
    perform gnomon_data.log_day('occurrence_log', now_utc);
    with gone as materialized (
        delete from gnomon_data.schedules as s using gnomon_data.one_by_one(ids) as g (id)
         where s.shard = cancel_many.shard and s.id = g.id returning s.*
    ), kept as (
        update gnomon_data.schedule_keys as k set keep_until_utc = now_utc + interval '48 h'
          from gone as g
         where g.dedup_key is not null and k.shard = cancel_many.shard and k.kind = 0
           and k.key_hash = gnomon_data.key_hash(g.user_id, g.dedup_key) and k.schedule_id = g.id
    ), freed as (
        delete from gnomon_data.schedule_keys as k using gone as g
         where g.key is not null and k.shard = cancel_many.shard and k.kind = 1
           and k.key_hash = gnomon_data.key_hash(g.user_id, g.key) and k.schedule_id = g.id
    ), told as (
        insert into gnomon_data.occurrence_log (logged_at_utc, shard, schedule_id, outcome, is_last, user_id, template_id, lane,
            occurrence, due_at_utc, fire_at_utc, nominal_local, time_zone, detail)
        select now_utc, g.shard, g.id, 'cancelled', true, g.user_id, g.template_id, g.lane, g.fired_count, g.due_at_utc, g.fire_at_utc,
               g.nominal_local, g.time_zone,
               to_jsonb(row(gnomon_data.id_text('sch', g.id), 'cancelled', false, g.fired_count, null, 0, 0)::gnomon.cancelled)
          from gone as g
    )
    select count(*), array_agg(row(g.fire_at_utc, g.fire_at_utc, g.stamp, g.id, g.shard, g.lane, 0)::gnomon_data.timers)
                         filter (where g.paused_at_utc is null)
      into cancelled_count, timers from gone as g;
    if timers is not null then
        perform gnomon_data.drop_timers(shard, timers);
    end if;
    return cancelled_count;
end
$$;

comment on function gnomon_data.cancel_many(smallint, uuid[], timestamptz) is
    'Cancels schedules without deliveries that this transaction holds locked with their keys; how many.';
