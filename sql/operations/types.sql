create type gnomon.operation as (
    operation_id text, kind text, scope text, name text, value text, status text, swept_count bigint, walked double precision,
    created_at_utc timestamptz, done_at_utc timestamptz
);
comment on type gnomon.operation is
    'A mass operation: cancel, pause, resume or reschedule, by label (name and value), user or template (value). Its effect is there from the commit on; status running or done, swept_count and walked (0 to 1) speak of the sweep behind it.';

create type gnomon.operation_details as (
    operation_id text, kind text, scope text, name text, value text, status text, swept_count bigint, walked double precision,
    created_at_utc timestamptz, done_at_utc timestamptz, change jsonb, refused_count bigint, refusals jsonb
);
comment on type gnomon.operation_details is
    'A mass operation with what belongs to a reschedule: the change, how many of those swept did not take it and stayed as they were, and the first few of them (schedule_id, code, detail, pointer).';
