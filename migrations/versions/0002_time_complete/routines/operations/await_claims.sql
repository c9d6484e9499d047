-- Claims that went past an open cancel hold no gate. Those that may not have seen ours are waited for one by one, as CREATE
-- INDEX CONCURRENTLY does: claims that begin now see it and need no waiting for, so nobody is stopped. A deadlock by this
-- wait is seen by nobody, so it is bounded.
create or replace function gnomon_data.await_claims() returns void
language plpgsql volatile
as $$
declare
    turns int := 0;
    before text[];
begin
    select array_agg(l.virtualtransaction) into before from pg_locks as l
     where l.locktype = 'advisory' and l.classid = gnomon_data.lock_class()::oid and l.objid = 4294967295 and l.objsubid = 2
       and l.pid <> pg_backend_pid() and l.database = (select d.oid from pg_database as d where d.datname = current_database());
    while before is not null and exists (
            select from pg_locks as l
             where l.locktype = 'advisory' and l.classid = gnomon_data.lock_class()::oid and l.objid = 4294967295
               and l.objsubid = 2 and l.virtualtransaction = any (before)) loop
        turns := turns + 1;
        if turns > 2500 then
            raise exception using errcode = 'lock_not_available', message = 'claims in an open transaction stand in the way of the cancel',
                hint = 'Commit what claimed deliveries, and repeat the cancel.';
        end if;
        perform pg_sleep(0.002);
    end loop;
end
$$;

comment on function gnomon_data.await_claims() is
    'Waits for claims under way that passed the gate of an open mass cancel; 55P03 after 5 s.';
