-- Upkeep that has to look at every row of a large table looks at a piece of it a call and goes on where it stopped: a call
-- that walked ten million keys to find none would cost a core for seconds, every minute.
create table gnomon_data.walks (
    walk text not null constraint walks_pkey primary key,
    after_shard smallint not null,
    after_kind smallint not null,
    after_key bytea not null
);
comment on table gnomon_data.walks is 'How far each walk of upkeep has come: the key of the last row it looked at.';

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

-- What has left the append-only tables: acceptances that were folded, and ends whose period of occurrence_log was dropped. By
-- the day a schedule was accepted, as its id tells, so that each day balances by itself.
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

-- The ends of hours that are over are counted once, shard by shard, as each comes to be balanced; the ledger then reads what was
-- logged since. next_until_utc is counted once every transaction is over that was open when next_xid was taken, after that
-- instant: by the write rule, which holds for logged_at_utc too, nothing below it can appear any more.
create table gnomon_data.ledger_folds (
    shard smallint not null constraint ledger_folds_pkey primary key,
    folded_until_utc timestamptz not null,
    next_until_utc timestamptz,
    next_xid xid8,
    constraint ledger_folds_next_is_whole check ((next_until_utc is null) = (next_xid is null))
)
with (fillfactor = 50);
comment on table gnomon_data.ledger_folds is 'Until when the ends of each shard are counted in ledger_days.';

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
