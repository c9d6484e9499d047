-- Everything Gnomon made in this database, data included, but for Alembic's own version table and the schema it is in.
-- Walked and not listed, because periods come and go. Roles stay: they belong to the server, and another database may
-- use them.
drop schema gnomon cascade;

do $$
declare
    object record;
begin
    for object in
        select c.oid::regclass as name, case c.relkind when 'v' then 'view' when 'S' then 'sequence' else 'table' end as kind
          from pg_class as c
         where c.relnamespace = 'gnomon_data'::regnamespace
           and c.relkind in ('r', 'p', 'v', 'S')
           and not c.relispartition
           and c.relname <> 'alembic_version'
           -- what belongs to a column goes with its table
           and not exists (select from pg_depend as d where d.objid = c.oid and d.deptype in ('a', 'i') and c.relkind = 'S')
    loop
        execute format('drop %s if exists %s cascade', object.kind, object.name);
    end loop;
    for object in select r.oid::regprocedure as name from pg_proc as r where r.pronamespace = 'gnomon_data'::regnamespace loop
        execute format('drop routine if exists %s cascade', object.name);
    end loop;
    for object in
        select t.oid::regtype as name
          from pg_type as t join pg_class as c on c.oid = t.typrelid
         where t.typnamespace = 'gnomon_data'::regnamespace and c.relkind = 'c'
        union all
        select t.oid::regtype from pg_type as t where t.typnamespace = 'gnomon_data'::regnamespace and t.typtype in ('e', 'd')
    loop
        execute format('drop type if exists %s cascade', object.name);
    end loop;
end
$$;
