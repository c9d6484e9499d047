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
    labels jsonb,
    -- As of the schedule: the mass cancels that it was accepted after.
    spared_by uuid[],
    -- Of the schedule too, by its name.
    category text,
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
    -- Of the last attempt, as gnomon_data.meaning_of names it.
    reason text,
    constraint delivery_log_pkey primary key (shard, due_at_utc, id),
    constraint delivery_log_outcome_known check (outcome in ('sent', 'failed', 'dropped', 'unknown', 'expired', 'cancelled'))
) partition by range (due_at_utc);
comment on table gnomon_data.delivery_log is 'What became of each delivery, partitioned by the day it was due.';

-- For whoever has to mend it: which channels' receivers refused our credentials lately. Appended, one row a channel in ten
-- seconds at most, and what is older than an hour goes with the next; no key, nobody waits for anybody.
create table gnomon_data.unauthorised (
    at_utc timestamptz not null,
    lane smallint not null,
    channel text not null,
    detail text
);
comment on table gnomon_data.unauthorised is 'When receivers did not accept our credentials, within the last hour.';
