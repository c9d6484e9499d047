-- Walks the definitions: for an administrator who asks, not for a metric.
create or replace function gnomon.pending_by_zone(time_zones text[]) returns table (time_zone text, pending_count bigint)
language sql stable security definer set search_path = ''
as $$
    select s.time_zone, count(*) from gnomon_data.schedules as s
     where s.time_zone = any (pending_by_zone.time_zones) and gnomon_data.reads_zone(s.rule)
     group by s.time_zone order by 2 desc, 1
$$;

comment on function gnomon.pending_by_zone(text[]) is
    'How many pending schedules have wall readings in each of these zones; no row for one that none has. Reads every schedule.';
revoke all on function gnomon.pending_by_zone(text[]) from public;
grant execute on function gnomon.pending_by_zone(text[]) to gnomon_reader, gnomon_worker;
