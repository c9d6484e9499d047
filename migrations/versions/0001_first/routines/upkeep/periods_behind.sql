-- A period of timers may go once every mark has passed its end: nothing that is visible or can become visible lies in it.
-- Marks trail by what is still there, so a locked or late row keeps its period. Logs go by age: 30 days.
create or replace function gnomon.periods_behind()
returns table (parent_table text, period_table text, is_droppable boolean)
language sql stable security definer set search_path = ''
as $$
    select p.parent, p.period, true
      from gnomon_data.periods as p
     where case when p.parent = 'timers'
                then p.until_utc <= (select case when count(*) = 192 then min(m.safe_at_utc) end
                                       from gnomon_data.shard_marks as m where m.plane = 'timers')
                else p.until_utc < gnomon_data.now_utc() - interval '30 days' end
       and (p.parent <> 'delivery_log' or p.until_utc <= coalesce(
                (select min(gnomon_data.at_of_id(d.id)) from gnomon_data.deliveries as d), 'infinity'))
       and exists (select from pg_catalog.pg_class as c join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
                    where n.nspname = 'gnomon_data' and c.relname = p.period)
     order by p.from_utc
$$;

comment on function gnomon.periods_behind() is
    'Periods that may be detached and dropped: timers behind every safe mark, logs older than 30 days of which no delivery is open.';
revoke all on function gnomon.periods_behind() from public;
grant execute on function gnomon.periods_behind() to gnomon_worker;
