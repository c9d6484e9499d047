-- schemas.sql

-- gnomon is what others may call and read; gnomon_data holds tables and private helpers and is granted to nobody, so
-- that every way in is a routine that checks what it is given. Roles stand in app/gnomon/database/roles.py: they belong
-- to the whole server, not to this database.
create schema gnomon;
comment on schema gnomon is 'The promise to other services: routines to call and views to read.';
grant usage on schema gnomon to gnomon_caller, gnomon_reader, gnomon_worker, gnomon_admin;

-- Alembic's version table lives here too, so the schema is there before the first revision runs.
create schema if not exists gnomon_data;
comment on schema gnomon_data is 'Tables and private helpers; no rights for anybody but their owner.';

-- base/types.sql

-- An error as a value. Readers of a request return one instead of raising it, so that a call with 10,000 items
-- needs no subtransaction for each item; null means that all is well. pointer is a JSON pointer into the request.
create type gnomon_data.fault as (code text, message text, hint text, pointer text);
comment on type gnomon_data.fault is
    'An error as a value: SQLSTATE of class GN, message, hint, JSON pointer to the field. null = none.';

-- clock/types.sql

-- What a rule yields, as people see it: local_time and utc_offset are what the clock on the wall shows at at_utc, so
-- that at_utc = local_time - utc_offset always; a reading of 02:30 moved by a gap shows as 03:00 and kind gap.
create type gnomon.occurrence as (at_utc timestamptz, local_time timestamp, utc_offset interval, kind text);
comment on type gnomon.occurrence is
    'One occurrence: the instant, the wall clock and its offset at that instant; kind is exact, gap or overlap, null for an instant that no reading decided.';

-- users/types.sql

create type gnomon.user_set as (user_id text, time_zone text, locale text, moved_count int, pinned_count int);
comment on type gnomon.user_set is
    'What is known of a user now; moved_count schedules followed a new time zone, pinned_count named their own and stayed.';

create type gnomon.user_item as (ordinal int, user_id text, moved_count int, error_code text, error_detail text, error_hint text);
comment on type gnomon.user_item is 'One answer of set_users; ordinal counts from 1; error_code is null when the user was set.';

create type gnomon.known_user as (user_id text, time_zone text, locale text);
comment on type gnomon.known_user is 'What is known of a user.';

-- schedules/types.sql

create type gnomon.scheduled as (
    schedule_id text, fire_at_utc timestamptz, status text, is_duplicate boolean, time_zone text, time_zone_source text,
    resolution text, if_past text, version int, warnings text[]
);
comment on type gnomon.scheduled is 'The answer to a schedule request; fire_at_utc is the instant of hand-over, after offset and window.';

create type gnomon.scheduled_item as (
    ordinal int, schedule_id text, fire_at_utc timestamptz, status text, is_duplicate boolean, time_zone text,
    time_zone_source text, resolution text, if_past text, version int, warnings text[],
    error_code text, error_detail text, error_hint text, error_pointer text
);
comment on type gnomon.scheduled_item is 'One answer of schedule_many: ordinal counts from 1; error_code is null when the item was accepted.';

create type gnomon.cancelled as (
    schedule_id text, status text, was_fired boolean, fired_count int, fired_at_utc timestamptz,
    handed_over_count int, stopped_count int
);
comment on type gnomon.cancelled is
    'The answer to a cancel. was_fired speaks of the current occurrence: whether a delivery of it had been handed over.';

create type gnomon.schedule_details as (
    schedule_id text, user_id text, template_id text, status text, fire_at_utc timestamptz, time_zone text, time_zone_source text,
    local_time text, channels text[], params jsonb, lane text, dedup_key text, key text, labels jsonb, recurrence jsonb,
    version int, created_at_utc timestamptz, fired_at_utc timestamptz
);
comment on type gnomon.schedule_details is 'Everything told of one schedule; of an ended one, what the ledger keeps.';

create type gnomon.pending_schedule as (
    schedule_id text, template_id text, fire_at_utc timestamptz, recurrence text, key text, lane text, time_zone text,
    status text, version int, cursor text
);
comment on type gnomon.pending_schedule is 'A pending schedule in a user''s list; cursor continues the list after this row.';

-- A request on its way through acceptance: read (read_request), placed in time (place_draft), its dedup_key and key looked
-- up (dedup_drafts, key_drafts), written (write_drafts). compiled is the rule as the request says it, rule the one to
-- store. A place_fault counts only if the request turns out to need the place: one that was accepted before does not.
create type gnomon_data.draft as (
    ordinal int, fault gnomon_data.fault, request_hash bytea,
    shard smallint, user_id text, template_id text, lane smallint, channels text[], params jsonb, labels jsonb,
    dedup_key text, key text, when_words jsonb, compiled jsonb, rule jsonb, is_recurring boolean,
    time_zone text, time_zone_source text, window_for interval, expires_at_utc timestamptz, expires_for interval,
    wanted_if_past text,
    schedule_id uuid, due_at_utc timestamptz, fire_at_utc timestamptz, nominal_local timestamp, resolution text,
    if_past text, is_skipped boolean, warnings text[], place_fault gnomon_data.fault,
    status text, is_duplicate boolean, version int, is_new boolean, same_as int
);
comment on type gnomon_data.draft is 'A schedule request between reading and writing; a fault in it is the item''s answer.';

-- timers/types.sql

create type gnomon.fire_result as (
    taken_count int, fired_count int, set_back_count int, stale_count int, expired_count int,
    is_full boolean
);
comment on type gnomon.fire_result is 'What one fire call did; is_full: a limit was reached, poll again at once.';

-- deliveries/types.sql

create type gnomon.delivery_outcome as (
    delivery_id text, claim_id uuid, outcome text, provider_reference text, detail text, retry_after interval
);
comment on type gnomon.delivery_outcome is 'What became of an attempt: outcome is sent, retry, failed or unknown.';

create type gnomon.claimed as (
    delivery_id text, claim_id uuid, attempt int, claimed_until_utc timestamptz, now_utc timestamptz, event jsonb
);
comment on type gnomon.claimed is
    'A delivery handed over: settle it with its claim_id before claimed_until_utc. claimed_until_utc - now_utc is the lease without a common clock. From exchange_deliveries, without an event: an outcome that is not settled yet.';

create type gnomon_data.settling as (
    lane smallint, shard smallint, id uuid, claim_id uuid, outcome text, provider_reference text, detail text,
    next_ready_at_utc timestamptz
);
comment on type gnomon_data.settling is
    'An outcome on its way into the table; next_ready_at_utc for a retry, null when the delivery ends with the outcome.';

create type gnomon_data.order_group as (lane smallint, shard smallint, user_id text, channel text);
comment on type gnomon_data.order_group is 'Deliveries that keep their order among themselves.';

-- base/tables.sql

-- What SQL has to know of the installation. Written by the processes from their GNOMON_* settings, read by functions.
create table gnomon_data.settings (
    name text not null constraint settings_pkey primary key,
    value text not null
);
comment on table gnomon_data.settings is 'The settings that SQL functions read: default_time_zone, default_channels, has_webhook, notify, fire_ahead.';

-- clock/tables.sql

-- Which time zones exist. PostgreSQL itself takes far more for a zone: UTC+3 (minus three hours), FOO+5, EST, CET (an
-- hour wrong all summer), any case. Nothing but a name of this table may ever reach AT TIME ZONE.
-- The view pg_timezone_names costs 25 ms a look, an index look-up here a few microseconds.
create table gnomon_data.time_zones (
    time_zone text collate "C" not null constraint time_zones_pkey primary key,
    folded text collate "C" not null,
    city text collate "C" not null
);
comment on table gnomon_data.time_zones is 'The time zones that requests may name; filled by load_time_zones().';
comment on column gnomon_data.time_zones.folded is 'The name in lower case, for near misses.';
comment on column gnomon_data.time_zones.city is 'The last part of the name in lower case, for near misses.';

create index time_zones_by_folded_name_idx on gnomon_data.time_zones (folded);
create index time_zones_by_city_idx on gnomon_data.time_zones (city);

-- users/tables.sql

-- A user exists here when somebody told us a time zone or a locale; a schedule for a user without a row is welcome.
create table gnomon_data.users (
    shard smallint not null,
    user_id text not null,
    time_zone text,
    locale text,
    constraint users_pkey primary key (shard, user_id),
    constraint users_shard_is_of_user check (shard between 0 and 63)
)
-- set_users repeats the caller's whole table every night: room on the page keeps those updates HOT.
with (fillfactor = 85);
comment on table gnomon_data.users is 'What is known of a user: IANA time zone and locale.';

-- schedules/tables.sql

-- Definitions: a pending one-shot or an active recurrence. The row is gone when nothing more will fire.
-- No index holds the next instant: an advance of a recurrence then is a HOT update. The instants live in timers.
create table gnomon_data.schedules (
    shard smallint not null,
    id uuid not null,
    is_recurring boolean not null,
    user_id text not null,
    template_id text not null,
    lane smallint not null,
    channels text[],
    params jsonb,
    payload_id uuid,
    labels jsonb,
    dedup_key text,
    key text,
    -- when_words: the fields of the request that say when, as they were given; the merge of a PATCH starts from them.
    -- rule: the same compiled (sql/clock); only the rule decides instants.
    when_words jsonb not null,
    rule jsonb not null,
    time_zone text,
    time_zone_source text,
    window_for interval,
    expires_at_utc timestamptz,
    expires_for interval,
    if_past text,
    -- The one pending occurrence: due after offset, fire after the window's spread too.
    nominal_local timestamp,
    resolution text,
    due_at_utc timestamptz not null,
    fire_at_utc timestamptz not null,
    -- The stamp of the one live timer; a timer with another stamp is stale.
    stamp bigint not null,
    -- The last fired instant and the one before it: a fire taken back before its instant sets both back.
    last_due_at_utc timestamptz,
    prior_due_at_utc timestamptz,
    fired_count int not null default 0,
    version int not null default 1,
    accepted_at_utc timestamptz not null,
    constraint schedules_pkey primary key (shard, id, is_recurring),
    constraint schedules_lane_known check (lane between 0 and 2),
    constraint schedules_fire_not_before_due check (fire_at_utc >= due_at_utc),
    constraint schedules_zone_has_source check ((time_zone is null) = (time_zone_source is null))
) partition by list (is_recurring);
comment on table gnomon_data.schedules is 'Pending one-shots and active recurrences, each with its one pending occurrence.';
comment on column gnomon_data.schedules.params is 'Up to 1 KB; longer ones are in payloads, since a fire copies what stands here.';
comment on column gnomon_data.schedules.time_zone_source is 'request (pinned), user (follows the user) or installation.';
comment on column gnomon_data.schedules.stamp is 'greatest(old + 1, microseconds of now): never repeats for an id.';

create table gnomon_data.schedules_once partition of gnomon_data.schedules for values in (false) partition by range (shard);
create table gnomon_data.schedules_recurring partition of gnomon_data.schedules for values in (true) partition by range (shard);

-- The list of a user and the move of a user. Without the shard: readers of the view gnomon.schedules name none, and a look
-- by (shard, id) must find no second index that serves it, or statistics of an empty table let the planner choose this one.
create index schedules_of_user_idx on gnomon_data.schedules (user_id);

do $$
begin
    for n in 0..7 loop
        -- One-shots are written once and deleted once: full pages. Autovacuum by a twentieth of the table, since what
        -- fires is deleted in the order of time and leaves whole pages to be used again.
        execute format('create table gnomon_data.schedules_once_%s partition of gnomon_data.schedules_once
            for values from (%s) to (%s) with (fillfactor = 100, autovacuum_vacuum_scale_factor = 0.05,
                autovacuum_vacuum_insert_scale_factor = 0.2)', n, n * 8, n * 8 + 8);
        -- Recurrences are updated at every fire, whole pages of them together: half a page free keeps all of these
        -- updates HOT (85 gave 19 % HOT and 58,000 a second, 50 gave 100 % and 94,000).
        execute format('create table gnomon_data.schedules_recurring_%s partition of gnomon_data.schedules_recurring
            for values from (%s) to (%s) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05)', n, n * 8, n * 8 + 8);
    end loop;
end
$$;

-- Both kinds of key, each the primary key of a row that is written before the schedule: the unique index is what makes
-- two callers of one key meet. kind 0: dedup_key, this event once. kind 1: key, this thing's one current schedule.
-- A unique index on schedules could not do it: it would have to contain is_recurring.
create table gnomon_data.schedule_keys (
    shard smallint not null,
    kind smallint not null,
    key_hash bytea not null,
    schedule_id uuid not null,
    request_hash bytea not null,
    answer jsonb,
    keep_until_utc timestamptz,
    constraint schedule_keys_pkey primary key (shard, kind, key_hash),
    constraint schedule_keys_kind_known check (kind in (0, 1))
)
-- Rows are pointed anew and end in batches; a tenth of the page for the updates.
with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05);
comment on table gnomon_data.schedule_keys is
    'dedup_key (kind 0) and key (kind 1) of users; key_hash = sha256 of user_id, U+0001, key; request_hash = sha256 of the normalised request.';
comment on column gnomon_data.schedule_keys.answer is 'For a dedup_key: the first answer, repeated word for word but for the status.';
comment on column gnomon_data.schedule_keys.keep_until_utc is 'null while anything of the schedule is pending; 48 h after its end.';

-- params above 1 KB, stored once: copied into every delivery, 4 KB of params took the fire from 50,000 to 7,000 a second.
create table gnomon_data.payloads (
    shard smallint not null,
    id uuid not null,
    schedule_id uuid not null,
    params jsonb not null,
    constraint payloads_pkey primary key (shard, id)
);
create index payloads_of_schedule_idx on gnomon_data.payloads (shard, schedule_id);
comment on table gnomon_data.payloads is 'Long params. Removed by upkeep when neither the schedule nor a delivery points here.';

-- The ledger: one row for every end of an occurrence or a schedule, append-only, a partition a day, dropped whole.
-- withdrawn takes a fired row back: the occurrence had been fired ahead of its instant and was cancelled or changed.
create table gnomon_data.occurrence_log (
    logged_at_utc timestamptz not null,
    shard smallint not null,
    schedule_id uuid not null,
    outcome text not null,
    is_last boolean not null,
    user_id text not null,
    template_id text not null,
    lane smallint not null,
    notification_id uuid,
    occurrence int not null,
    due_at_utc timestamptz,
    fire_at_utc timestamptz,
    nominal_local timestamp,
    time_zone text,
    detail jsonb,
    constraint occurrence_log_outcome_known check (outcome in
        ('fired', 'completed', 'cancelled', 'expired', 'skipped', 'missed', 'suppressed', 'failed', 'withdrawn'))
) partition by range (logged_at_utc);
create index occurrence_log_of_schedule_idx on gnomon_data.occurrence_log (shard, schedule_id, logged_at_utc);
comment on table gnomon_data.occurrence_log is 'The ledger of ends, partitioned by the day a row was written.';
comment on column gnomon_data.occurrence_log.is_last is 'Whether the schedule ended with this row; its outcome then is the schedule''s status.';

-- Only what deviates is written here: edits, retries, missed occurrences. The straight life writes none.
create table gnomon_data.events (
    at_utc timestamptz not null,
    shard smallint not null,
    schedule_id uuid not null,
    delivery_id uuid,
    kind text not null,
    detail jsonb
) partition by range (at_utc);
create index events_of_schedule_idx on gnomon_data.events (shard, schedule_id, at_utc);
comment on table gnomon_data.events is 'What deviated from the straight life of a schedule or delivery, partitioned by day.';

-- timers/tables.sql

-- Time: one narrow row for everything that happens later. Inserted and deleted, never updated.
-- A timer says: at fire_at_utc look at subject_id, and act if its stamp still is mine. Whoever writes fire_at_utc first
-- takes an xid, then reads the clock, then writes greatest(wanted, clock): so a row below t is written only by a
-- transaction that had its xid before t, and a mark can be proven safe (sql/timers/prove_marks.sql).
create table gnomon_data.timers (
    fire_at_utc timestamptz not null,
    wanted_at_utc timestamptz not null,
    stamp bigint not null,
    subject_id uuid not null,
    shard smallint not null,
    lane smallint not null,
    kind smallint not null,
    constraint timers_never_early check (fire_at_utc >= wanted_at_utc)
) partition by range (fire_at_utc);
create index timers_due_by_shard_idx on gnomon_data.timers (shard, lane, fire_at_utc, subject_id);
comment on table gnomon_data.timers is 'The near time plane: a period (day) a partition, sub-partitioned by shard range.';
comment on column gnomon_data.timers.kind is '1 a one-shot, 2 an occurrence of a recurrence.';
comment on column gnomon_data.timers.wanted_at_utc is 'The instant meant; fire_at_utc differs when that had passed or the row was set back.';

-- What lies beyond the periods that exist (or before them, after a clock that went back). Moved near in small batches;
-- the sweep fires from here too, so dead upkeep costs speed and never a notification.
create table gnomon_data.timers_far (like gnomon_data.timers including constraints)
with (autovacuum_vacuum_scale_factor = 0.05);
create index timers_far_due_by_shard_idx on gnomon_data.timers_far (shard, lane, fire_at_utc, subject_id);
comment on table gnomon_data.timers_far is 'The far time plane: timers outside of the periods that exist.';

-- How far the periods of timers reach, written in the transaction that attaches or detaches one.
create table gnomon_data.horizon (
    one_row boolean not null default true constraint horizon_pkey primary key,
    near_from_utc timestamptz not null,
    near_until_utc timestamptz not null,
    constraint horizon_has_one_row check (one_row),
    constraint horizon_not_reversed check (near_from_utc <= near_until_utc)
);
comment on table gnomon_data.horizon is 'Timers in [near_from_utc, near_until_utc) go to a period, all others to timers_far.';

-- Every partition by time that exists, attached or not: names and bounds without reading the catalogue.
create table gnomon_data.periods (
    parent text not null,
    period text not null,
    from_utc timestamptz not null,
    until_utc timestamptz not null,
    constraint periods_pkey primary key (period),
    constraint periods_not_empty check (from_utc < until_utc)
);
comment on table gnomon_data.periods is 'Partitions by time: parent table, own name, half-open bounds.';

-- The ranges of shards that share one leaf of a period. A claim names one slice: a ctid names a row only in its leaf.
create table gnomon_data.shard_slices (
    slice smallint not null constraint shard_slices_pkey primary key,
    first_shard smallint not null,
    last_shard smallint not null,
    constraint shard_slices_not_reversed check (first_shard <= last_shard)
);
comment on table gnomon_data.shard_slices is 'Shard ranges, one a leaf of a period; fixed at install.';

-- A lease names an owner and changes only when ownership does; it is alive while its owner's heartbeat is.
create table gnomon_data.shard_leases (
    lease_group text not null,
    shard smallint not null,
    owner_id uuid,
    constraint shard_leases_pkey primary key (lease_group, shard)
);
comment on table gnomon_data.shard_leases is 'Who looks after which shard in which role. Leases avoid contention; SKIP LOCKED is what makes two owners safe.';

create table gnomon_data.heartbeats (
    owner_id uuid not null constraint heartbeats_pkey primary key,
    lease_group text not null,
    process_name text not null,
    beat_at_utc timestamptz not null
)
-- One update a second and process, of no indexed column: room keeps them HOT.
with (fillfactor = 25, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
comment on table gnomon_data.heartbeats is 'One row a process and lease group; dead after 3 s of silence.';

-- Below safe_at_utc no visible row is left and none can appear: proven, see sql/timers/prove_marks.sql.
create table gnomon_data.shard_marks (
    plane text not null,
    lane smallint not null,
    shard smallint not null,
    safe_at_utc timestamptz not null,
    constraint shard_marks_pkey primary key (plane, lane, shard),
    constraint shard_marks_plane_known check (plane in ('timers', 'deliveries'))
)
with (fillfactor = 50);
comment on table gnomon_data.shard_marks is 'Low-water marks of the time plane and of the work, by lane and shard.';

-- deliveries/tables.sql

-- Work: one row a task. LIST-partitioned by lane: no claim and no settle of one lane reads a page of another.
-- due_at_utc never changes. ready_at_utc is what is indexed, claimed, and moved by lease and retry; infinity = parked
-- behind an earlier one of the same user. claimed_until_utc and claim_id say that it is leased, which tells an expired
-- lease from a due retry. The row is gone when settled.
create table gnomon_data.deliveries (
    lane smallint not null,
    shard smallint not null,
    id uuid not null,
    channel text not null,
    ready_at_utc timestamptz not null,
    due_at_utc timestamptz not null,
    schedule_id uuid not null,
    notification_id uuid not null,
    user_id text not null,
    template_id text not null,
    params jsonb,
    payload_id uuid,
    dedup_key text,
    key text,
    occurrence int not null,
    -- scheduled_at_utc: before the window; with nominal_local and time_zone what the receiver is told.
    scheduled_at_utc timestamptz not null,
    nominal_local timestamp,
    time_zone text,
    expires_at_utc timestamptz,
    accepted_at_utc timestamptz not null,
    fired_at_utc timestamptz not null,
    attempt int not null default 0,
    claim_id uuid,
    claimed_at_utc timestamptz,
    claimed_until_utc timestamptz,
    claimed_by text,
    first_claimed_at_utc timestamptz,
    is_stopped boolean not null default false,
    has_given_way boolean not null default false,
    constraint deliveries_pkey primary key (shard, id, lane),
    constraint deliveries_claim_is_whole check ((claim_id is null) = (claimed_until_utc is null))
) partition by list (lane);
create index deliveries_ready_idx on gnomon_data.deliveries (shard, channel, ready_at_utc, id);
create index deliveries_of_schedule_idx on gnomon_data.deliveries (shard, schedule_id);
create index deliveries_in_order_idx on gnomon_data.deliveries (shard, user_id, channel, due_at_utc, id);
comment on table gnomon_data.deliveries is 'Queued and sending deliveries, one row a channel; deleted when settled.';
comment on column gnomon_data.deliveries.is_stopped is 'Cancelled while handed over: no further attempt.';
comment on column gnomon_data.deliveries.has_given_way is 'Its retry waits so long that later ones of the same user go first.';
comment on column gnomon_data.deliveries.first_claimed_at_utc is 'When it was first handed over: lateness is this minus due_at_utc.';

-- A row lives for seconds and is updated once or twice, always in an indexed column: free space on the page gains
-- nothing, early vacuum does (a twentieth, or 2,000 rows).
create table gnomon_data.deliveries_critical partition of gnomon_data.deliveries for values in (0)
    with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 2000);
create table gnomon_data.deliveries_transactional partition of gnomon_data.deliveries for values in (1)
    with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 2000);
create table gnomon_data.deliveries_bulk partition of gnomon_data.deliveries for values in (2)
    with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 2000);

-- The pairs that ever had a delivery: a worker's poll asks for these only, and not for every lane times every channel.
-- Two fires that use a pair first at the same time write it twice, told apart by noted_id: by a key of lane and channel alone
-- the second would wait for the first, and a fire waits for nobody.
create table gnomon_data.channels_in_use (
    lane smallint not null,
    channel text not null,
    noted_id uuid not null default gen_random_uuid(),
    constraint channels_in_use_pkey primary key (lane, channel, noted_id)
);
comment on table gnomon_data.channels_in_use is 'Lane and channel pairs that a worker has to look at; written by the fire that uses one first.';

-- One row a delivery with its instants, partitioned by the day of due_at_utc, which is known when the delivery is made:
-- midnight between claim and settle cannot matter, and the key lets nothing be logged twice.
create table gnomon_data.delivery_log (
    shard smallint not null,
    due_at_utc timestamptz not null,
    id uuid not null,
    lane smallint not null,
    channel text not null,
    schedule_id uuid not null,
    notification_id uuid not null,
    user_id text not null,
    outcome text not null,
    attempts int not null,
    accepted_at_utc timestamptz not null,
    fired_at_utc timestamptz not null,
    first_claimed_at_utc timestamptz,
    claimed_at_utc timestamptz,
    settled_at_utc timestamptz not null,
    provider_reference text,
    detail text,
    constraint delivery_log_pkey primary key (shard, due_at_utc, id),
    constraint delivery_log_outcome_known check (outcome in ('sent', 'failed', 'unknown', 'expired', 'cancelled'))
) partition by range (due_at_utc);
comment on table gnomon_data.delivery_log is 'What became of each delivery, partitioned by the day it was due.';

-- upkeep/tables.sql

-- Upkeep that has to look at every row of a large table looks at a piece of it a call and goes on where it stopped: a call
-- that walked ten million keys to find none would cost a core for seconds, every minute.
create table gnomon_data.walks (
    walk text not null constraint walks_pkey primary key,
    after_shard smallint not null,
    after_kind smallint not null,
    after_key bytea not null
);
comment on table gnomon_data.walks is 'How far each walk of upkeep has come: the key of the last row it looked at.';
