create or replace function gnomon_data.open_hashes() returns bigint[]
language sql volatile
as $$
    select array_agg(l.objid::bigint) from pg_locks as l
     where l.locktype = 'advisory' and l.classid = gnomon_data.lock_class()::oid and l.objsubid = 2 and l.mode = 'ExclusiveLock'
       and l.granted and l.database = (select d.oid from pg_database as d where d.datname = current_database())
$$;

comment on function gnomon_data.open_hashes() is 'The hashes of the targets of mass cancels whose transactions are open.';
