-- Locks in (shard, id) order and waits at most for one claim or settle to commit. The current occurrence is the latest one
-- that has deliveries; of older ones still trying, too, no further attempt is made. One channel may be settled already
-- while another waits: that counts as handed over, and only the log knows it. Each occurrence of which nothing was handed
-- over is taken back in the ledger.
create or replace function gnomon_data.stop_deliveries(
    shard smallint, schedule_id uuid, now_utc timestamptz,
    out current_id uuid, out user_id text, out dedup_key text, out template_id text, out lane smallint, out occurrence int,
    out due_at_utc timestamptz, out nominal_local timestamp, out time_zone text,
    out withdrawn_count int, out handed_over_count int, out stopped_count int, out handed_over_at_utc timestamptz)
language plpgsql volatile
set enable_seqscan = off set enable_bitmapscan = off
as $$
declare
    locked gnomon_data.deliveries[];
    latest gnomon_data.deliveries;
begin
    withdrawn_count := 0;
    select array_agg(l.d) into locked
      from (select d from gnomon_data.deliveries as d
             where d.shard = stop_deliveries.shard and d.schedule_id = stop_deliveries.schedule_id
             order by d.shard, d.id for update) as l;
    if locked is null then
        return;
    end if;
    select l.* into latest from unnest(locked) as l order by l.occurrence desc, l.id limit 1;
    current_id := latest.notification_id;
    user_id := latest.user_id;
    dedup_key := latest.dedup_key;
    template_id := latest.template_id;
    lane := latest.lane;
    occurrence := latest.occurrence;
    due_at_utc := latest.due_at_utc;
    nominal_local := latest.nominal_local;
    time_zone := latest.time_zone;
    select count(*), min(h.at_utc) into handed_over_count, handed_over_at_utc
      from (select l.first_claimed_at_utc as at_utc from unnest(locked) as l
             where l.notification_id = current_id and l.first_claimed_at_utc is not null
            union all
            select g.first_claimed_at_utc from gnomon_data.delivery_log as g
             where g.shard = stop_deliveries.shard and g.due_at_utc = latest.due_at_utc and g.notification_id = current_id
               and g.first_claimed_at_utc is not null) as h;
    update gnomon_data.deliveries as d set is_stopped = true from unnest(locked) as l
     where d.shard = l.shard and d.id = l.id and d.lane = l.lane and l.claim_id is not null;
    select count(*) into stopped_count from unnest(locked) as l
     where l.notification_id = current_id and l.first_claimed_at_utc is not null;
    perform pg_notify('gnomon_stop', gnomon_data.id_text('dlv', l.id)) from unnest(locked) as l
      where l.claim_id is not null and gnomon_data.setting('notify', 'on') = 'on';
    perform gnomon_data.end_deliveries(array_agg(row(l.lane, l.shard, l.id, null, 'cancelled', null, null, null, null)::gnomon_data.settling
                order by l.shard, l.id), now_utc)
       from unnest(locked) as l where l.claim_id is null having count(*) > 0;
    perform gnomon_data.log_day('occurrence_log', now_utc);
    with told as (
        insert into gnomon_data.occurrence_log (logged_at_utc, shard, schedule_id, outcome, is_last, user_id, template_id, lane,
            notification_id, occurrence, due_at_utc, fire_at_utc, nominal_local, time_zone)
        select now_utc, n.shard, n.schedule_id, 'withdrawn', false, n.user_id, n.template_id, n.lane, n.notification_id, n.occurrence,
               n.scheduled_at_utc, n.due_at_utc, n.nominal_local, n.time_zone
          from (select distinct on (l.notification_id) l.* from unnest(locked) as l order by l.notification_id, l.id) as n
         where not exists (select from unnest(locked) as l where l.notification_id = n.notification_id and l.first_claimed_at_utc is not null)
           and not exists (select from gnomon_data.delivery_log as g
                            where g.shard = n.shard and g.due_at_utc = n.due_at_utc and g.notification_id = n.notification_id
                              and g.first_claimed_at_utc is not null)
     returning occurrence_log.occurrence
    )
    -- An extra run is occurrence 0: it had not been counted.
    select count(*) into withdrawn_count from told as t where t.occurrence > 0;
end
$$;

comment on function gnomon_data.stop_deliveries(smallint, uuid, timestamptz) is
    'Ends the unclaimed deliveries of a schedule, marks the claimed ones, and tells what of the current occurrence had been handed over.';
