-- Takes up.sql back, in the opposite order. Routines are not dropped or restored here: what this revision made is dropped
-- before and after this file, whichever its dependencies allow, and the copies of earlier revisions follow.

-- Set aside.
drop view gnomon.set_aside;
drop view gnomon.schedules;
drop table gnomon_data.set_aside;
