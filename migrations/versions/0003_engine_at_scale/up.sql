-- Steps on types, tables and indexes, by hand: the same text that sql/<room>/{types,tables}.sql gained, as a change.
-- Routines and views do not belong here: `gnomon freeze --again` copies those that differ, drops those that are gone, and
-- drops first what changes its arguments or its result.
--
-- * No routine of this revision is there yet when this runs. Rows that need one are made by gnomon_data.install().
-- * Columns go to the end of their table, in sql/ too: the proof of equality compares the order.
-- * A column of a large table is added nullable or with a constant default; anything else rewrites it under a lock.
-- * Processes of the version before go on working: they pass no new column.
-- * A public routine keeps its arguments and the columns it answers, so a type it answers does not grow: processes of the
--   version before read them into fixed shapes, and their prepared statements fail on others. A new form gets a new name.
-- * `drop view gnomon....` when a column it reads changes its type: the freeze then copies the views.

-- Set aside: what raises an error when it is fired or handed over.
create table gnomon_data.set_aside (
    shard smallint not null,
    id uuid not null,
    what text not null,
    schedule_id uuid not null,
    lane smallint not null,
    -- Of the schedule: with another stamp this row speaks of something that has been changed since.
    stamp bigint,
    due_at_utc timestamptz not null,
    error_code text not null,
    error_text text not null,
    set_aside_at_utc timestamptz not null,
    content jsonb,
    is_only_copy boolean not null default false,
    constraint set_aside_pkey primary key (shard, id),
    constraint set_aside_what_known check (what in ('schedule', 'delivery')),
    constraint set_aside_schedule_has_stamp check ((what = 'schedule') = (stamp is not null))
);
create index set_aside_of_schedule_idx on gnomon_data.set_aside (shard, schedule_id);
comment on table gnomon_data.set_aside is 'Schedules and deliveries that raised an error when they were fired or handed over, with the error.';
comment on column gnomon_data.set_aside.content is 'The row as it was, for whoever looks for the cause; null when it could not even be read.';

-- Upkeep: long params come and go with their schedules.
alter table gnomon_data.payloads set (autovacuum_vacuum_scale_factor = 0.05);

-- The ledger: ends of hours that are over, counted once.
create table gnomon_data.ledger_folds (
    shard smallint not null constraint ledger_folds_pkey primary key,
    folded_until_utc timestamptz not null,
    next_until_utc timestamptz,
    next_xid xid8,
    constraint ledger_folds_next_is_whole check ((next_until_utc is null) = (next_xid is null))
)
with (fillfactor = 50);
comment on table gnomon_data.ledger_folds is 'Until when the ends of each shard are counted in ledger_days.';

-- Pause and resume by label, user or template.
create table gnomon_data.mass_pauses (
    operation_id uuid not null constraint mass_pauses_pkey primary key,
    target text collate "C" not null,
    place bigint generated always as identity,
    is_resume boolean not null
);
create index mass_pauses_of_target_idx on gnomon_data.mass_pauses (target);
comment on table gnomon_data.mass_pauses is 'Pauses and resumes by label, user or template that are in effect and not swept yet.';
comment on column gnomon_data.mass_pauses.target is 'See gnomon_data.target_of.';
alter table gnomon_data.operations drop constraint operations_kind_known;
alter table gnomon_data.operations add constraint operations_kind_known check (kind in ('cancel', 'pause', 'resume'));
comment on type gnomon.operation is
    'A mass operation: cancel, pause or resume, by label (name and value), user or template (value). Its effect is there from the commit on; status running or done, swept_count and walked (0 to 1) speak of the sweep behind it.';

-- The lateness of today as far as it is counted (fold_lateness), and how far that is: lines settled before until_utc are in
-- lateness_folds, those settled later lie from from_block on.
create table gnomon_data.lateness_folds (
    period text not null,
    lane smallint not null,
    le double precision not null,
    count bigint not null,
    sum_seconds double precision not null,
    constraint lateness_folds_pkey primary key (period, lane, le)
)
with (fillfactor = 50);
comment on table gnomon_data.lateness_folds is 'The histogram of lateness of one day of delivery_log: cumulative counts by upper bound in seconds.';

create table gnomon_data.lateness_walk (
    one_row boolean not null default true constraint lateness_walk_pkey primary key,
    period text not null,
    until_utc timestamptz not null,
    from_block bigint not null,
    next_utc timestamptz,
    next_block bigint,
    next_xid xid8,
    constraint lateness_walk_has_one_row check (one_row)
)
with (fillfactor = 50);
comment on table gnomon_data.lateness_walk is 'How far the lateness of today is counted, and the instant up to which it is next.';

-- Reschedule by label, user or template.
alter table gnomon_data.mass_pauses add column changes_at_utc timestamptz;
alter table gnomon_data.mass_pauses add column merge jsonb;
comment on table gnomon_data.mass_pauses is 'Pauses, resumes and reschedules by label, user or template that are in effect and not swept yet.';
alter table gnomon_data.operations add column change jsonb;
comment on column gnomon_data.operations.change is 'Of a reschedule, as it was given.';
alter table gnomon_data.operations drop constraint operations_kind_known;
alter table gnomon_data.operations add constraint operations_kind_known check (kind in ('cancel', 'pause', 'resume', 'reschedule'));
create table gnomon_data.mass_refusals (
    operation_id uuid not null,
    refused_count bigint not null,
    examples jsonb not null
);
create index mass_refusals_of_operation_idx on gnomon_data.mass_refusals (operation_id);
comment on table gnomon_data.mass_refusals is 'Schedules that did not take the change of a mass reschedule: how many of a piece, and some of them.';
create table gnomon_data.mass_waiting (
    operation_id uuid not null,
    shard smallint not null,
    schedule_id uuid not null
);
create index mass_waiting_of_operation_idx on gnomon_data.mass_waiting (operation_id);
comment on table gnomon_data.mass_waiting is 'Schedules that a fire came upon while a mass reschedule held them: its sweep changes them before all others.';
create type gnomon.operation_details as (
    operation_id text, kind text, scope text, name text, value text, status text, swept_count bigint, walked double precision,
    created_at_utc timestamptz, done_at_utc timestamptz, change jsonb, refused_count bigint, refusals jsonb
);
comment on type gnomon.operation_details is
    'A mass operation with what belongs to a reschedule: the change, how many of those swept did not take it and stayed as they were, and the first few of them (schedule_id, code, detail, pointer).';
comment on type gnomon.operation is
    'A mass operation: cancel, pause, resume or reschedule, by label (name and value), user or template (value). Its effect is there from the commit on; status running or done, swept_count and walked (0 to 1) speak of the sweep behind it.';

-- Outcomes: why an attempt ended as it did, and bulk that runs out of attempts or time. Days that exist were made apart and
-- attached, so the constraint is each one's own as well; one that upkeep has detached and not dropped yet may be attached again.
alter type gnomon_data.settling add attribute reason text;
comment on type gnomon_data.settling is
    'An outcome on its way into the table; next_ready_at_utc for a retry, null when the delivery ends with the outcome. reason: see meaning_of.';
comment on type gnomon.delivery_outcome is
    'What became of an attempt: outcome is sent, retry, failed or unknown; or says why: gone, refused, throttled, transient, unclear, unauthorised.';
alter table gnomon_data.delivery_log add column reason text;
alter table gnomon_data.delivery_log drop constraint delivery_log_outcome_known;
do $$
declare
    period record;
begin
    for period in select c.conrelid::regclass as name, r.relispartition from pg_constraint as c join pg_class as r on r.oid = c.conrelid
                   where c.conname = 'delivery_log_outcome_known' and c.connamespace = 'gnomon_data'::regnamespace loop
        execute format('alter table %s drop constraint delivery_log_outcome_known', period.name);
        if not period.relispartition then
            execute format('alter table %s add column reason text, add constraint delivery_log_outcome_known
                check (outcome in (''sent'', ''failed'', ''dropped'', ''unknown'', ''expired'', ''cancelled''))', period.name);
        end if;
    end loop;
end
$$;
alter table gnomon_data.delivery_log add constraint delivery_log_outcome_known
    check (outcome in ('sent', 'failed', 'dropped', 'unknown', 'expired', 'cancelled'));

-- Categories.
create type gnomon.category as (
    name text, lane text, channels text[], expires_for interval, description text, changed_at_utc timestamptz
);
comment on type gnomon.category is
    'What the schedules that name a category have where they say nothing themselves; null channels: the installation''s, null expires_for: never.';
create table gnomon_data.categories (
    name text collate "C" not null constraint categories_pkey primary key,
    lane smallint not null,
    channels text[],
    expires_for interval,
    description text,
    changed_at_utc timestamptz not null,
    dropped_at_utc timestamptz,
    constraint categories_lane_known check (lane between 0 and 2)
);
comment on table gnomon_data.categories is 'Categories: lane, channels and expiry of the schedules that name one.';
comment on column gnomon_data.categories.dropped_at_utc is 'No new request may name it; what is pending keeps its channels and expiry.';
alter table gnomon_data.schedules add column category text;
alter table gnomon_data.schedules add column has_own_lane boolean;
alter table gnomon_data.deliveries add column category text;
alter type gnomon_data.draft add attribute category text;
alter type gnomon_data.draft add attribute has_own_lane boolean;

-- Who does not accept our credentials.
create table gnomon_data.unauthorised (
    at_utc timestamptz not null,
    lane smallint not null,
    channel text not null,
    detail text
);
comment on table gnomon_data.unauthorised is 'When receivers did not accept our credentials, within the last hour.';
