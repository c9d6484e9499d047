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
    -- Paused: the pending occurrence stays here without a timer, and the stamp has moved on. Nothing that fires looks here.
    paused_at_utc timestamptz,
    -- The mass cancels in effect that would mean it, had it not been accepted or edited after them.
    spared_by uuid[],
    -- Its name, as the request says it, and whether that names a lane too: lane is then the request's and not the category's.
    category text,
    has_own_lane boolean,
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

-- The users of a calendar, when its days change. Only rules that name one are in it, and a fire changes no rule, so that
-- its updates stay HOT.
create index schedules_of_calendar_idx on gnomon_data.schedules_recurring using gin ((rule -> 'calendars'))
    with (fastupdate = off) where rule ? 'calendars';

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
)
with (autovacuum_vacuum_scale_factor = 0.05);
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

-- The ledger's other side: how many schedules a batch made, by shard and the day in their ids; a row a batch and shard,
-- appended in the transaction that makes them and folded by upkeep into ledger_days. No row is ever updated by two: a count
-- kept in place would make all who accept wait for each other. No index: it is read whole, and stays small.
create table gnomon_data.acceptances (
    accepted_on date not null,
    shard smallint not null,
    accepted_count int not null
)
with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
comment on table gnomon_data.acceptances is 'How many schedules were accepted, not yet folded into ledger_days; append-only.';

-- What cannot be fired or handed over, taken out of the way of the others: one row that raises would stop its whole shard.
-- A schedule stays where it is and loses its timer; a delivery stays too and is ready at the end of time, so that cancels,
-- edits and the ledger find both as ever. Only a delivery that cannot even be written to is kept here alone (is_only_copy).
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
