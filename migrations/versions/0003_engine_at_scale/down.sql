-- Takes up.sql back, in the opposite order. Routines are not dropped or restored here: what this revision made is dropped
-- before and after this file, whichever its dependencies allow, and the copies of earlier revisions follow.

-- Upkeep.
delete from gnomon_data.walks where walk in ('timers_far', 'parked');
alter table gnomon_data.payloads reset (autovacuum_vacuum_scale_factor);

-- Set aside.
drop table gnomon_data.set_aside;
