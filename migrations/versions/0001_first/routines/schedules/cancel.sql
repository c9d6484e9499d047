-- Forward along the life, one statement each, so that each sees what the one before let through: the natural key (locked
-- first, as an upsert does), the schedule, its deliveries, the dedup key, the ledger. Whoever fires or claims meanwhile
-- skips what is locked here; what was handed over before keeps its claim and is only marked, and nobody waits for a worker.
-- cancelled is answered only when nothing of the current occurrence had been handed over: a claim of it that had not
-- committed when we locked can never commit.
-- The clock is read once the schedule is ours: read before, it would be behind that of a fire that we waited for, and the
-- ledger would tell that the fire came last.
create or replace function gnomon_data.cancel(shard smallint, schedule_id uuid) returns gnomon.cancelled
language plpgsql volatile
set enable_seqscan = off set enable_bitmapscan = off
as $$
declare
    now_utc timestamptz;
    gone gnomon_data.schedules;
    keyed record;
    ended record;
    answer gnomon.cancelled;
begin
    perform pg_current_xact_id();
    select s.user_id, s.key into keyed from gnomon_data.schedules as s where s.shard = cancel.shard and s.id = schedule_id;
    if keyed.key is null then
        select d.user_id, d.key into keyed from gnomon_data.deliveries as d
         where d.shard = cancel.shard and d.schedule_id = cancel.schedule_id and d.key is not null limit 1;
    end if;
    if keyed.key is not null then
        perform from gnomon_data.schedule_keys as k
          where k.shard = cancel.shard and k.kind = 1 and k.key_hash = gnomon_data.key_hash(keyed.user_id, keyed.key) for update;
    end if;
    delete from gnomon_data.schedules as s where s.shard = cancel.shard and s.id = schedule_id returning s.* into gone;
    now_utc := gnomon_data.now_utc();
    ended := gnomon_data.stop_deliveries(cancel.shard, schedule_id, now_utc);
    if gone.id is null and ended.current_id is null then
        return gnomon_data.ended_answer(cancel.shard, schedule_id);
    end if;
    if gone.id is not null then
        perform gnomon_data.drop_timer(gone.shard, gone.lane, gone.fire_at_utc, gone.id, gone.stamp);
    end if;
    update gnomon_data.schedule_keys as k set keep_until_utc = now_utc + interval '48 h'
     where k.shard = cancel.shard and k.kind = 0 and k.schedule_id = cancel.schedule_id
       and k.key_hash = gnomon_data.key_hash(coalesce(gone.user_id, ended.user_id), coalesce(gone.dedup_key, ended.dedup_key));
    if keyed.key is not null then
        delete from gnomon_data.schedule_keys as k
         where k.shard = cancel.shard and k.kind = 1 and k.key_hash = gnomon_data.key_hash(keyed.user_id, keyed.key)
           and k.schedule_id = cancel.schedule_id;
    end if;
    answer.schedule_id := gnomon_data.id_text('sch', schedule_id);
    answer.was_fired := coalesce(ended.handed_over_count, 0) > 0;
    answer.status := case when answer.was_fired then 'fired' else 'cancelled' end;
    answer.fired_count := coalesce(gone.fired_count, ended.occurrence, 0) - ended.withdrawn_count;
    answer.fired_at_utc := ended.handed_over_at_utc;
    answer.handed_over_count := coalesce(ended.handed_over_count, 0);
    answer.stopped_count := coalesce(ended.stopped_count, 0);
    if gone.id is not null or not answer.was_fired then
        perform gnomon_data.log_day('occurrence_log', now_utc);
        insert into gnomon_data.occurrence_log (logged_at_utc, shard, schedule_id, outcome, is_last, user_id, template_id, lane,
            occurrence, due_at_utc, fire_at_utc, nominal_local, time_zone, detail)
        values (now_utc, cancel.shard, schedule_id, 'cancelled', true, coalesce(gone.user_id, ended.user_id),
            coalesce(gone.template_id, ended.template_id), coalesce(gone.lane, ended.lane), answer.fired_count,
            coalesce(gone.due_at_utc, ended.due_at_utc), coalesce(gone.fire_at_utc, ended.due_at_utc),
            coalesce(gone.nominal_local, ended.nominal_local), coalesce(gone.time_zone, ended.time_zone), to_jsonb(answer));
    elsif answer.stopped_count > 0 then
        -- The ledger has the end of it; what was answered is kept apart, for a repeat after the deliveries are gone.
        perform gnomon_data.log_day('events', now_utc);
        insert into gnomon_data.events (at_utc, shard, schedule_id, kind, detail) values (now_utc, cancel.shard, schedule_id, 'stopped', to_jsonb(answer));
    end if;
    return answer;
end
$$;

comment on function gnomon_data.cancel(smallint, uuid) is
    'Cancels a schedule and what of it is not handed over; GN020 when it never was. A repeat gives the same answer.';
