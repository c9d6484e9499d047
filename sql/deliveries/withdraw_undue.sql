-- Fired ahead is not yet due: until it is claimed, a delivery whose instant lies ahead still belongs to its schedule. It is
-- taken back whole or not at all: when one channel of the notification has been handed over, the others follow it.
-- Of several on their way (a rhythm shorter than the look-ahead) the last can come back, and the others go.
-- The ledger takes its fired row back by a row of its own; a schedule that had ended with it ends as cancelled.
create or replace function gnomon_data.withdraw_undue(
    shard smallint, schedule_id uuid, now_utc timestamptz, as_of_utc timestamptz default null, last_occurrence int default null,
    out is_withdrawn boolean, out scheduled_at_utc timestamptz, out due_at_utc timestamptz, out nominal_local timestamp)
language plpgsql volatile
set enable_seqscan = off set enable_bitmapscan = off
as $$
declare
    locked gnomon_data.deliveries[];
    first gnomon_data.deliveries;
begin
    select array_agg(l.d) into locked
      from (select d from gnomon_data.deliveries as d
             where d.shard = withdraw_undue.shard and d.schedule_id = withdraw_undue.schedule_id
               and d.due_at_utc > coalesce(as_of_utc, now_utc) and d.occurrence > 0
             order by d.shard, d.id for update) as l;
    select array_agg(d order by d.shard, d.id) into locked from unnest(locked) as d
     where d.occurrence = coalesce(last_occurrence, (select max(x.occurrence) from unnest(locked) as x));
    is_withdrawn := locked is not null and not exists (select from unnest(locked) as d where d.attempt > 0 or d.claim_id is not null);
    if not is_withdrawn then
        return;
    end if;
    first := locked[1];
    scheduled_at_utc := first.scheduled_at_utc;
    due_at_utc := first.due_at_utc;
    nominal_local := first.nominal_local;
    perform gnomon_data.end_deliveries(array_agg(row(d.lane, d.shard, d.id, null, 'cancelled', null, 'withdrawn before it was due', null, null)::gnomon_data.settling
                order by d.shard, d.id), now_utc)
       from unnest(locked) as d;
    perform gnomon_data.log_day('occurrence_log', now_utc);
    insert into gnomon_data.occurrence_log (logged_at_utc, shard, schedule_id, outcome, is_last, user_id, template_id, lane,
        notification_id, occurrence, due_at_utc, fire_at_utc, nominal_local, time_zone)
    values (now_utc, first.shard, first.schedule_id, 'withdrawn', false, first.user_id, first.template_id, first.lane,
        first.notification_id, first.occurrence, first.scheduled_at_utc, first.due_at_utc, first.nominal_local, first.time_zone);
    insert into gnomon_data.occurrence_log (logged_at_utc, shard, schedule_id, outcome, is_last, user_id, template_id, lane,
        occurrence, due_at_utc, fire_at_utc, nominal_local, time_zone, detail)
    select now_utc, first.shard, first.schedule_id, 'cancelled', true, first.user_id, first.template_id, first.lane, first.occurrence - 1,
           first.scheduled_at_utc, first.due_at_utc, first.nominal_local, first.time_zone,
           to_jsonb(row(gnomon_data.id_text('sch', first.schedule_id), 'cancelled', false, first.occurrence - 1, null, 0, 0)::gnomon.cancelled)
     where not exists (select from gnomon_data.schedules as s where s.shard = first.shard and s.id = first.schedule_id);
end
$$;

comment on function gnomon_data.withdraw_undue(smallint, uuid, timestamptz, timestamptz, int) is
    'Takes back an occurrence that was fired ahead, is not due yet and of which nothing was handed over; and which one it was.';
