create or replace function gnomon_data.note_unauthorised(retries gnomon_data.settling[], now_utc timestamptz) returns void
language sql volatile set search_path = ''
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_hashjoin = off set enable_mergejoin = off
as $$
    delete from gnomon_data.unauthorised as u
     where u.ctid = any (array(select x.ctid from gnomon_data.unauthorised as x
                                where x.at_utc < now_utc - interval '1 h' limit 100 for update skip locked));
    insert into gnomon_data.unauthorised (at_utc, lane, channel, detail)
    select distinct on (d.channel) now_utc, d.lane, d.channel, r.detail
      from unnest(retries) as r
      join gnomon_data.deliveries as d on d.lane = r.lane and d.shard = r.shard and d.id = r.id
     where r.reason = 'unauthorised'
       and not exists (select from gnomon_data.unauthorised as u where u.channel = d.channel and u.at_utc > now_utc - interval '10 s')
     order by d.channel
$$;

comment on function gnomon_data.note_unauthorised(gnomon_data.settling[], timestamptz) is
    'Remembers for an hour that receivers did not accept our credentials.';
