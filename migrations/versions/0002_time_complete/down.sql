-- Takes up.sql back, in the opposite order. Routines are not dropped or restored here: what this revision made is dropped
-- before and after this file, whichever its dependencies allow, and the copies of earlier revisions follow.

-- A rule that the routines of before cannot read would fail whatever fires together with it. (Rewriting rules is not for a
-- step down: what a monthly rule would become is for whoever made it to say.)
do $$
declare
    known constant text[] := array['kind', 'at', 'in', 'time', 'date', 'every', 'days', 'anchor', 'start', 'end', 'end_after',
                                   'offset', 'gap', 'overlap'];
    count bigint;
begin
    select count(*) into count from gnomon_data.schedules as s
     where s.rule - known <> jsonb '{}' or s.rule ->> 'kind' not in ('instant', 'once', 'daily', 'weekly')
        or s.rule ->> 'kind' <> 'weekly' and s.rule ? 'days';
    if count > 0 then
        raise exception '% pending schedules have rules that the revision before cannot read', count
            using hint = 'Cancel them, or stay: patterns other than daily and weekly, exclusions, misfire policies.';
    end if;
end
$$;

-- Mass operations. What one in effect means would come back to life.
do $$
begin
    if exists (select from gnomon_data.mass_cancels) then
        raise exception 'mass cancels are in effect that are not swept yet'
            using hint = 'Let upkeep run until select gnomon.sweep_operations() answers false.';
    end if;
end
$$;
drop table gnomon_data.operations;
drop table gnomon_data.mass_gate;
drop table gnomon_data.mass_cancels;
drop type gnomon.operation;
alter table gnomon_data.deliveries drop column spared_by, drop column labels;
alter table gnomon_data.schedules drop column spared_by;

-- Calendars of days that schedules leave out.
drop index gnomon_data.schedules_of_calendar_idx;
drop table gnomon_data.calendars;
drop type gnomon.calendar_set;
drop type gnomon.listed_calendar;
drop type gnomon.known_calendar;

-- Order: what was fired ahead is parked behind one that is due before it.
drop type gnomon_data.order_place;

-- Pause, resume, run. What is paused would be without a timer for good: it is resumed first.
update gnomon_data.schedules set stamp = stamp + 1 where paused_at_utc is not null;
insert into gnomon_data.timers_far (fire_at_utc, wanted_at_utc, stamp, subject_id, shard, lane, kind)
select greatest(s.fire_at_utc, gnomon_data.now_utc()), s.fire_at_utc, s.stamp, s.id, s.shard, s.lane, case when s.is_recurring then 2 else 1 end
  from gnomon_data.schedules as s where s.paused_at_utc is not null;
alter table gnomon_data.schedules drop column paused_at_utc;
drop type gnomon.extra_run;

-- Zone data as versioned data
drop table gnomon_data.retiming;
drop table gnomon_data.zone_fingerprints;

-- The count of a course that an upsert takes over.
alter type gnomon_data.draft drop attribute fired_count;

-- The ledger.
drop table gnomon_data.ledger_checks;
drop table gnomon_data.ledger_days;
drop table gnomon_data.acceptances;

-- Imports of files.
drop table gnomon_data.import_faults;
drop table gnomon_data.import_streams;
drop type gnomon.checked_item;
drop type gnomon.import_fault;
drop type gnomon.import_place;
drop type gnomon.import_step;
