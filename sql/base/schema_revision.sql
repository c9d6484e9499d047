-- Alembic makes its table, not sql/; a database loaded without history has none. Looked up as the call runs, so that this
-- function can be made first.
create or replace function gnomon.schema_revision() returns text
language plpgsql stable security definer set search_path = ''
as $$
begin
    if to_regclass('gnomon_data.alembic_version') is null then
        return null;
    end if;
    return (select v.version_num from gnomon_data.alembic_version as v);
end
$$;

comment on function gnomon.schema_revision() is 'The revision that this database was migrated to; null without one.';
revoke all on function gnomon.schema_revision() from public;
grant execute on function gnomon.schema_revision() to gnomon_caller, gnomon_reader;
