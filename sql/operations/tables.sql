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

-- Pauses, resumes and reschedules in the same way, apart from the cancels. A schedule that one has been
-- applied to notes it, too. Of several that mean a schedule the latest place counts; reschedules are applied in their places.
create table gnomon_data.mass_pauses (
    operation_id uuid not null constraint mass_pauses_pkey primary key,
    target text collate "C" not null,
    place bigint generated always as identity,
    is_resume boolean not null,
    -- Of a reschedule alone: when it was called, by which each schedule is judged, and its change with canonical names.
    changes_at_utc timestamptz,
    merge jsonb
);
create index mass_pauses_of_target_idx on gnomon_data.mass_pauses (target);
comment on table gnomon_data.mass_pauses is 'Pauses, resumes and reschedules by label, user or template that are in effect and not swept yet.';
comment on column gnomon_data.mass_pauses.target is 'See gnomon_data.target_of.';

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
    change jsonb,
    constraint operations_kind_known check (kind in ('cancel', 'pause', 'resume', 'reschedule')),
    constraint operations_scope_known check (scope in ('label', 'user', 'template'))
)
with (fillfactor = 50);
comment on table gnomon_data.operations is 'Mass operations with the progress of their sweep; kept for 7 days after it.';
comment on column gnomon_data.operations.proof_xid is 'Taken after the cancel was seen: when no older transaction is open, everybody sees it.';
comment on column gnomon_data.operations.phase is '0 walks the deliveries, 1 the schedules.';
comment on column gnomon_data.operations.change is 'Of a reschedule, as it was given.';

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
