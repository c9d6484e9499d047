-- Takes up.sql back, in the opposite order. Routines are not dropped or restored here: what this revision made is dropped
-- before and after this file, whichever its dependencies allow, and the copies of earlier revisions follow.

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
