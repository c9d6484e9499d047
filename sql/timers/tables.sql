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
