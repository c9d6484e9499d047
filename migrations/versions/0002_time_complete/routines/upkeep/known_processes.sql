create or replace function gnomon.known_processes()
returns table (lease_group text, process_name text, beat_at_utc timestamptz, is_alive boolean, shard_count bigint)
language sql stable security definer set search_path = ''
as $$
    select h.lease_group, h.process_name, h.beat_at_utc, h.beat_at_utc > c.now_utc - interval '3 s',
           (select count(*) from gnomon_data.shard_leases as l where l.lease_group = h.lease_group and l.owner_id = h.owner_id)
      from gnomon_data.heartbeats as h cross join (select gnomon_data.now_utc() as now_utc) as c
     where h.beat_at_utc > c.now_utc - interval '24 h'
     order by h.lease_group, h.process_name
$$;

comment on function gnomon.known_processes() is
    'Pollers and workers that gave a sign of life in the last 24 hours, one row a process and lease group, and the shards they hold.';
revoke all on function gnomon.known_processes() from public;
grant execute on function gnomon.known_processes() to gnomon_reader, gnomon_worker;
