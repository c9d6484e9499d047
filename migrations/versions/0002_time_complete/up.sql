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

-- Pause, resume, run.
alter table gnomon_data.schedules add column paused_at_utc timestamptz;
create type gnomon.extra_run as (
    schedule_id text, notification_id text, fire_at_utc timestamptz, delivery_count int
);
comment on type gnomon.extra_run is 'The answer to run_schedule: the notification made beside the series, and its deliveries, one a channel.';

-- Order: what was fired ahead is parked behind one that is due before it.
create type gnomon_data.order_place as (shard smallint, user_id text, channel text, due_at_utc timestamptz, id uuid);
comment on type gnomon_data.order_place is 'Where a delivery of the transactional lane stands among those of its user and channel.';

-- Zone data is versioned data: governments change their clocks, and an upgrade of the server brings that in without a
-- word. What the rules were when they were last looked at, so that a change of them can be seen and named.
create table gnomon_data.zone_fingerprints (
    time_zone text collate "C" not null constraint zone_fingerprints_pkey primary key,
    from_utc timestamptz not null,
    until_utc timestamptz not null,
    first_offset int not null,
    changes_at_utc timestamptz[] not null,
    offsets int[] not null,
    taken_at_utc timestamptz not null,
    taken_from text not null,
    constraint zone_fingerprints_not_empty check (from_utc < until_utc),
    constraint zone_fingerprints_offset_a_change check (cardinality(changes_at_utc) = cardinality(offsets))
);
comment on table gnomon_data.zone_fingerprints is
    'The rules of each zone over two years, as all pending instants have been computed by; written by take_fingerprints().';
comment on column gnomon_data.zone_fingerprints.first_offset is 'Seconds east of UTC at from_utc; offsets: those from each instant of changes_at_utc on.';
comment on column gnomon_data.zone_fingerprints.taken_from is 'The server and, where it tells, the version of its zone data.';

-- A retime is a walk too, over the definitions, and remembers what it is about: another set of zones begins it anew.
create table gnomon_data.retiming (
    one_row boolean not null default true constraint retiming_pkey primary key,
    time_zones text[] not null,
    after_shard smallint not null,
    after_id uuid,
    passed_by_count int not null,
    generation int not null,
    constraint retiming_has_one_row check (one_row)
);
comment on table gnomon_data.retiming is 'How far retime_apply has come with which zones, and how many it passed by because they were held.';
comment on column gnomon_data.retiming.generation is 'Raised when sessions are to be made anew: a session keeps what it once loaded of a zone.';

-- Calendars of days that schedules leave out.
create type gnomon.known_calendar as (calendar text, dates date[], changed_at_utc timestamptz);
comment on type gnomon.known_calendar is 'A calendar of days on which the schedules that name it do not fire; dates are sorted.';

create type gnomon.listed_calendar as (calendar text, date_count int, first_on date, last_on date, changed_at_utc timestamptz);
comment on type gnomon.listed_calendar is 'A calendar in a list, without its dates.';

create type gnomon.calendar_set as (calendar text, date_count int, moved_count int, ended_count int);
comment on type gnomon.calendar_set is
    'The answer to set_calendar: how many schedules now fire next on another day, and how many have none left and are completed.';

create table gnomon_data.calendars (
    calendar text collate "C" not null constraint calendars_pkey primary key,
    folded text collate "C" not null,
    closed_on date[] not null,
    changed_at_utc timestamptz not null,
    constraint calendars_bounded check (cardinality(closed_on) <= 5000)
);
comment on table gnomon_data.calendars is 'Named calendars of days on which the schedules that name them do not fire.';
comment on column gnomon_data.calendars.folded is 'The name in lower case, for near misses.';
comment on column gnomon_data.calendars.closed_on is 'Sorted, each once.';

create index calendars_by_folded_name_idx on gnomon_data.calendars (folded);

create index schedules_of_calendar_idx on gnomon_data.schedules_recurring using gin ((rule -> 'calendars'))
    with (fastupdate = off) where rule ? 'calendars';

-- The count of a course that an upsert takes over.
alter type gnomon_data.draft add attribute fired_count int;

-- The ledger: accepted = pending + ended.
create table gnomon_data.acceptances (
    accepted_on date not null,
    shard smallint not null,
    accepted_count int not null
)
with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
comment on table gnomon_data.acceptances is 'How many schedules were accepted, not yet folded into ledger_days; append-only.';

create table gnomon_data.ledger_days (
    accepted_on date not null,
    shard smallint not null,
    accepted_count bigint not null,
    ended_count bigint not null,
    constraint ledger_days_pkey primary key (accepted_on, shard)
)
with (fillfactor = 70);
comment on table gnomon_data.ledger_days is 'Accepted and ended schedules by shard and day of acceptance, as far as acceptances and occurrence_log do not hold them any more.';

create table gnomon_data.ledger_checks (
    shard smallint not null constraint ledger_checks_pkey primary key,
    checked_at_utc timestamptz not null,
    missing_count bigint not null
)
with (fillfactor = 50);
comment on table gnomon_data.ledger_checks is 'When the ledger of a shard was last balanced, and by how much it was off (both ways, summed over days).';

-- What was there before the ledger is its opening balance: each pending schedule and each ended one once.
insert into gnomon_data.acceptances (accepted_on, shard, accepted_count)
select (gnomon_data.at_of_id(x.id) at time zone 'UTC')::date, x.shard, count(*)
  from (select s.shard, s.id from gnomon_data.schedules as s
        union
        select o.shard, o.schedule_id from gnomon_data.occurrence_log as o where o.is_last) as x
 group by 1, 2;

-- Mass operations.
alter table gnomon_data.schedules add column spared_by uuid[];
alter table gnomon_data.deliveries add column labels jsonb, add column spared_by uuid[];

create type gnomon.operation as (
    operation_id text, kind text, scope text, name text, value text, status text, swept_count bigint, walked double precision,
    created_at_utc timestamptz, done_at_utc timestamptz
);
comment on type gnomon.operation is
    'A mass operation: cancel, by label (name and value), user or template (value). Its effect is there from the commit on; status running or done, swept_count and walked (0 to 1) speak of the sweep behind it.';

-- A mass cancel is one row here from its commit until all that it means has been swept. What is accepted or edited while
-- it is visible notes its id (spared_by) and lives; everything else of its target is over: neither clocks nor the order of
-- commits decide. Read by every claim, so it stays as small as the number of cancels that are being swept.
create table gnomon_data.mass_cancels (
    operation_id uuid not null constraint mass_cancels_pkey primary key,
    target text collate "C" not null
);
create index mass_cancels_of_target_idx on gnomon_data.mass_cancels (target);
comment on table gnomon_data.mass_cancels is 'Cancels by label, user or template that are in effect and not swept yet.';
comment on column gnomon_data.mass_cancels.target is 'See gnomon_data.target_of.';

-- Always empty, only ever locked: claims pass it in ROW EXCLUSIVE mode without waiting, a mass cancel holds it in SHARE mode
-- until it commits. See claim_gate.sql.
create table gnomon_data.mass_gate (
    is_empty boolean not null
);
comment on table gnomon_data.mass_gate is 'Never written: its lock is the gate between claims and mass cancels.';

-- The resource that the caller watches, and how far the sweep has come. A walk is over the deliveries, then the schedules, in
-- the order of shard and id; it begins anew when something was held by others, and until everybody who may not have seen
-- the cancel has ended (proof_xid).
create table gnomon_data.operations (
    id uuid not null constraint operations_pkey primary key,
    kind text not null,
    scope text not null,
    name text,
    value text not null,
    created_at_utc timestamptz not null,
    done_at_utc timestamptz,
    swept_count bigint not null default 0,
    proof_xid xid8,
    is_proven boolean not null default false,
    has_passed_by boolean not null default false,
    phase smallint not null default 0,
    after_shard smallint not null default 0,
    after_id uuid,
    resume_at_utc timestamptz not null,
    constraint operations_kind_known check (kind = 'cancel'),
    constraint operations_scope_known check (scope in ('label', 'user', 'template'))
)
with (fillfactor = 50);
comment on table gnomon_data.operations is 'Mass operations with the progress of their sweep; kept for 7 days after it.';
comment on column gnomon_data.operations.proof_xid is 'Taken after the cancel was seen: when no older transaction is open, everybody sees it.';
comment on column gnomon_data.operations.phase is '0 walks the deliveries, 1 the schedules.';

-- Imports of files.
create type gnomon.import_step as (accepted_count int, repeated_count int, refused_count int);
comment on type gnomon.import_step is
    'What one call of import_requests did: accepted anew or changed, there already, refused.';

create type gnomon.import_place as (
    stream smallint, done_line bigint, accepted_count bigint, repeated_count bigint, refused_count bigint
);
comment on type gnomon.import_place is 'How far a stream of an import is, and what became of its lines so far.';

create type gnomon.import_fault as (line bigint, error_code text, error_detail text, error_hint text, error_pointer text);
comment on type gnomon.import_fault is 'A line of a file that was refused.';

create type gnomon.checked_item as (ordinal int, error_code text, error_detail text, error_hint text, error_pointer text);
comment on type gnomon.checked_item is 'One answer of check_many: ordinal counts from 1; error_code is null when nothing is wrong.';

create table gnomon_data.import_streams (
    file_digest bytea not null,
    stream smallint not null,
    done_line bigint not null,
    accepted_count bigint not null default 0,
    repeated_count bigint not null default 0,
    refused_count bigint not null default 0,
    moved_at_utc timestamptz not null,
    constraint import_streams_pkey primary key (file_digest, stream)
)
with (fillfactor = 50);
comment on table gnomon_data.import_streams is 'How far each stream of an import is: written in the transaction that writes the schedules.';

create table gnomon_data.import_faults (
    file_digest bytea not null,
    line bigint not null,
    error_code text not null,
    error_detail text,
    error_hint text,
    error_pointer text,
    constraint import_faults_pkey primary key (file_digest, line)
);
comment on table gnomon_data.import_faults is 'Lines of an import under way that were refused; the lines themselves stay in the file.';
