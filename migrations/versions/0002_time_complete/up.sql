-- Steps on types, tables and indexes, by hand: the same text that sql/<room>/{types,tables}.sql gained, as a change.
-- Routines and views do not belong here: `gnomon freeze --again` copies those that differ, drops those that are gone, and
-- drops first what changes its arguments or its result.
--
-- * No routine of this revision is there yet when this runs. Rows that need one are made by gnomon_data.install().
-- * Columns go to the end of their table, in sql/ too: the proof of equality compares the order.
-- * A column of a large table is added nullable or with a constant default; anything else rewrites it under a lock.
-- * Processes of the version before go on working: they pass no new column, and they read the columns they know.
-- * `drop view gnomon....` when a column it reads changes its type: the freeze then copies the views.

-- Pause, resume, run.
alter table gnomon_data.schedules add column paused_at_utc timestamptz;
create type gnomon.extra_run as (
    schedule_id text, notification_id text, fire_at_utc timestamptz, delivery_count int
);
comment on type gnomon.extra_run is 'The answer to run_schedule: the notification made beside the series, and its deliveries, one a channel.';

-- Order: what was fired ahead is parked behind one that is due before it.
create type gnomon_data.order_place as (shard smallint, user_id text, channel text, due_at_utc timestamptz, id uuid);
comment on type gnomon_data.order_place is 'Where a delivery of the transactional lane stands among those of its user and channel.';
