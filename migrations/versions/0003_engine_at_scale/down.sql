-- Takes up.sql back, in the opposite order. Routines are not dropped or restored here: what this revision made is dropped
-- before and after this file, whichever its dependencies allow, and the copies of earlier revisions follow.

-- Categories: what names one has its lane already, and keeps channels and expiry as its own.
update gnomon_data.schedules as s
   set channels = coalesce(s.channels, c.channels),
       expires_for = case when s.expires_at_utc is null then coalesce(s.expires_for, c.expires_for) end
  from gnomon_data.categories as c
 where c.name = s.category and (s.channels is null and c.channels is not null or s.expires_for is null and c.expires_for is not null);
alter type gnomon_data.draft drop attribute has_own_lane;
alter type gnomon_data.draft drop attribute category;
alter table gnomon_data.deliveries drop column category;
alter table gnomon_data.schedules drop column has_own_lane;
alter table gnomon_data.schedules drop column category;
drop table gnomon_data.categories;
drop type gnomon.category;

-- Outcomes: what was dropped reads as the version before would have written it.
drop table gnomon_data.unauthorised;
update gnomon_data.delivery_log set outcome = 'failed' where outcome = 'dropped';
alter table gnomon_data.delivery_log drop constraint delivery_log_outcome_known;
do $$
declare
    period record;
begin
    for period in select c.conrelid::regclass as name, r.relispartition from pg_constraint as c join pg_class as r on r.oid = c.conrelid
                   where c.conname = 'delivery_log_outcome_known' and c.connamespace = 'gnomon_data'::regnamespace loop
        execute format('alter table %s drop constraint delivery_log_outcome_known', period.name);
        execute format('update %s set outcome = ''failed'' where outcome = ''dropped''', period.name);
        if not period.relispartition then
            execute format('alter table %s drop column reason, add constraint delivery_log_outcome_known
                check (outcome in (''sent'', ''failed'', ''unknown'', ''expired'', ''cancelled''))', period.name);
        end if;
    end loop;
end
$$;
alter table gnomon_data.delivery_log add constraint delivery_log_outcome_known
    check (outcome in ('sent', 'failed', 'unknown', 'expired', 'cancelled'));
alter table gnomon_data.delivery_log drop column reason;
comment on type gnomon.delivery_outcome is 'What became of an attempt: outcome is sent, retry, failed or unknown.';
comment on type gnomon_data.settling is
    'An outcome on its way into the table; next_ready_at_utc for a retry, null when the delivery ends with the outcome.';
alter type gnomon_data.settling drop attribute reason;

-- Reschedule by label, user or template: what the sweep has not come to yet stays as it was.
comment on type gnomon.operation is
    'A mass operation: cancel, pause or resume, by label (name and value), user or template (value). Its effect is there from the commit on; status running or done, swept_count and walked (0 to 1) speak of the sweep behind it.';
drop type gnomon.operation_details;
-- What was held and had come up has no timer: it fires by its old plan.
insert into gnomon_data.timers_far (fire_at_utc, wanted_at_utc, stamp, subject_id, shard, lane, kind)
select s.fire_at_utc, s.fire_at_utc, s.stamp, s.id, s.shard, s.lane, case when s.is_recurring then 2 else 1 end
  from (select distinct w.shard, w.schedule_id from gnomon_data.mass_waiting as w) as w
  join gnomon_data.schedules as s on s.shard = w.shard and s.id = w.schedule_id
 where s.paused_at_utc is null;
drop table gnomon_data.mass_waiting;
drop table gnomon_data.mass_refusals;
delete from gnomon_data.mass_pauses where changes_at_utc is not null;
delete from gnomon_data.operations where kind = 'reschedule';
alter table gnomon_data.operations drop constraint operations_kind_known;
alter table gnomon_data.operations add constraint operations_kind_known check (kind in ('cancel', 'pause', 'resume'));
alter table gnomon_data.operations drop column change;
alter table gnomon_data.mass_pauses drop column merge;
alter table gnomon_data.mass_pauses drop column changes_at_utc;
comment on table gnomon_data.mass_pauses is 'Pauses and resumes by label, user or template that are in effect and not swept yet.';

-- Lateness.
drop table gnomon_data.lateness_walk;
drop table gnomon_data.lateness_folds;

-- The ledger reads all of the log again: what was counted of it is taken out.
update gnomon_data.ledger_days as d set ended_count = d.ended_count - e.ended_count
  from (select o.shard, (gnomon_data.at_of_id(o.schedule_id) at time zone 'UTC')::date as accepted_on, count(distinct o.schedule_id) as ended_count
          from gnomon_data.occurrence_log as o
          join gnomon_data.ledger_folds as f on f.shard = o.shard and o.logged_at_utc < f.folded_until_utc
         where o.is_last group by 1, 2) as e
 where d.shard = e.shard and d.accepted_on = e.accepted_on;
drop table gnomon_data.ledger_folds;

-- Upkeep.
delete from gnomon_data.walks where walk in ('timers_far', 'parked');
alter table gnomon_data.payloads reset (autovacuum_vacuum_scale_factor);

-- Pause and resume by label, user or template: what the sweep has not come to yet is paused or resumed by nobody.
comment on type gnomon.operation is
    'A mass operation: cancel, by label (name and value), user or template (value). Its effect is there from the commit on; status running or done, swept_count and walked (0 to 1) speak of the sweep behind it.';
delete from gnomon_data.operations where kind <> 'cancel';
alter table gnomon_data.operations drop constraint operations_kind_known;
alter table gnomon_data.operations add constraint operations_kind_known check (kind = 'cancel');
drop table gnomon_data.mass_pauses;

-- Set aside.
drop table gnomon_data.set_aside;
