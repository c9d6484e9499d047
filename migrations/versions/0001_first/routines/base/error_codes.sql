-- The one list of errors; the Python mirror is compared with it by a test.
create or replace function gnomon_data.error_codes() returns table (code text, name text)
language sql immutable
as $$
    values ('GN010', 'time zone unknown'),
           ('GN011', 'cron text invalid'),
           ('GN012', 'rule never fires'),
           ('GN013', 'local time invalid'),
           ('GN014', 'date invalid'),
           ('GN015', 'rule invalid'),
           ('GN020', 'schedule not found'),
           ('GN021', 'version stale'),
           ('GN022', 'dedup key reused with another request'),
           ('GN023', 'in the past'),
           ('GN024', 'request invalid'),
           ('GN025', 'has fired or ended'),
           ('GN026', 'no time zone known'),
           ('GN027', 'channel unknown'),
           ('GN028', 'not available in this version'),
           ('GN029', 'on its way')
$$;

comment on function gnomon_data.error_codes() is 'Every SQLSTATE of class GN with the name of the error.';
