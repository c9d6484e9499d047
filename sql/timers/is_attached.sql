create or replace function gnomon_data.is_attached(period text) returns boolean
language sql stable
as $$
    select coalesce((select c.relispartition from pg_catalog.pg_class as c
                      where c.oid = to_regclass(format('gnomon_data.%I', is_attached.period))), false)
$$;

comment on function gnomon_data.is_attached(text) is 'Whether a table of that name exists and is a partition now.';
