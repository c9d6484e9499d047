create type gnomon.operation as (
    operation_id text, kind text, scope text, name text, value text, status text, swept_count bigint, walked double precision,
    created_at_utc timestamptz, done_at_utc timestamptz
);
comment on type gnomon.operation is
    'A mass operation: cancel, pause or resume, by label (name and value), user or template (value). Its effect is there from the commit on; status running or done, swept_count and walked (0 to 1) speak of the sweep behind it.';
