-- gnomon is what others may call and read; gnomon_data holds tables and private helpers and is granted to nobody, so
-- that every way in is a routine that checks what it is given. Roles stand in app/gnomon/database/roles.py: they belong
-- to the whole server, not to this database.
create schema gnomon;
comment on schema gnomon is 'The promise to other services: routines to call and views to read.';
grant usage on schema gnomon to gnomon_caller, gnomon_reader, gnomon_worker, gnomon_admin;

-- Alembic's version table lives here too, so the schema is there before the first revision runs.
create schema if not exists gnomon_data;
comment on schema gnomon_data is 'Tables and private helpers; no rights for anybody but their owner.';
