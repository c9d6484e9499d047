-- Who keeps dead rows from being cleared away, and safe marks and detaches waiting: sessions with a snapshot or an xid, in this
-- database; prepared transactions; replication slots and standbys that feed back. held_for is null where the server does not
-- tell, which is so for sessions of others when the owner of this function lacks pg_read_all_stats; the age in transactions
-- is told to everybody. Autovacuum holds nothing: vacuum leaves its own kind out.
create or replace function gnomon.horizon_holders(at_most int default 10)
returns table (kind text, pid int, user_name text, application text, state text, held_for interval, xid_age int)
language sql volatile security definer set search_path = ''
as $$
    select h.*
      from (select case when a.backend_type = 'walsender' then 'standby' else 'session' end, a.pid, a.usename::text, a.application_name,
                   coalesce(a.state, 'unknown'), gnomon_data.now_utc() - a.xact_start,
                   greatest(age(a.backend_xmin), age(a.backend_xid))
              from pg_catalog.pg_stat_activity as a
             where a.pid <> pg_backend_pid() and (a.datname = current_database() or a.backend_type = 'walsender')
               and coalesce(a.backend_type, '') not in ('autovacuum worker', 'autovacuum launcher')
               and (a.backend_xmin is not null or a.backend_xid is not null)
            union all
            select 'prepared', null, p.owner::text, p.gid, 'prepared', gnomon_data.now_utc() - p.prepared, age(p.transaction)
              from pg_catalog.pg_prepared_xacts as p where p.database = current_database()
            union all
            select 'slot', s.active_pid, null, s.slot_name::text, case when s.active then 'active' else 'inactive' end, null,
                   greatest(age(s.xmin), age(s.catalog_xmin))
              from pg_catalog.pg_replication_slots as s where s.xmin is not null or s.catalog_xmin is not null
           ) as h (kind, pid, user_name, application, state, held_for, xid_age)
     order by h.held_for desc nulls last, h.xid_age desc nulls last limit at_most
$$;

comment on function gnomon.horizon_holders(int) is
    'Who holds the horizon below which dead rows may go, the longest first: session, prepared (application is its name), slot (the same) or standby.';
revoke all on function gnomon.horizon_holders(int) from public;
grant execute on function gnomon.horizon_holders(int) to gnomon_reader, gnomon_worker;
