-- Heartbeat and fair share in one call, without a leader: everyone alive computes the same share; who holds more lets go,
-- who holds less takes what is free or whose owner is silent for 3 s. A lease row changes only when its owner does.
-- Two owners for a moment do no harm: SKIP LOCKED is what makes that safe.
create or replace function gnomon.beat(owner uuid, lease_group text, process_name text)
returns table (shard smallint, is_new boolean)
language plpgsql volatile security definer set search_path = ''
as $$
declare
    now_utc constant timestamptz := gnomon_data.now_utc();
    -- upkeep needs no sharing out: one shard, one holder.
    shard_count constant int := case when lease_group = 'upkeep' then 1 else 64 end;
    alive uuid[];
    share int;
    held smallint[];
    gained smallint[];
begin
    insert into gnomon_data.heartbeats as h (owner_id, lease_group, process_name, beat_at_utc)
    values (owner, beat.lease_group, beat.process_name, now_utc)
    on conflict on constraint heartbeats_pkey do update
       set beat_at_utc = excluded.beat_at_utc, lease_group = excluded.lease_group, process_name = excluded.process_name;
    if (select count(*) from gnomon_data.shard_leases as l where l.lease_group = beat.lease_group) < shard_count then
        insert into gnomon_data.shard_leases (lease_group, shard)
        select beat.lease_group, n from generate_series(0, shard_count - 1) as n on conflict do nothing;
    end if;
    select array_agg(h.owner_id) into alive from gnomon_data.heartbeats as h
     where h.lease_group = beat.lease_group and h.beat_at_utc > now_utc - interval '3 s'
       -- After a clock that went back, the last beat of one that died would keep its shards until the clock comes to it.
       and h.beat_at_utc < now_utc + interval '3 s';
    -- Rounded up for those who hold most, and down for the others: up for all, nine would share 64 as eight do, and the ninth,
    -- who comes last, would never get one.
    select shard_count / cardinality(alive) + (r.place <= shard_count % cardinality(alive))::int into share
      from (select a.owner_id, row_number() over (order by count(l.shard) desc, a.owner_id) as place
              from unnest(alive) as a (owner_id)
              left join gnomon_data.shard_leases as l on l.lease_group = beat.lease_group and l.owner_id = a.owner_id
             group by a.owner_id) as r
     where r.owner_id = owner;
    select array_agg(l.shard order by l.shard) into held from gnomon_data.shard_leases as l
     where l.lease_group = beat.lease_group and l.owner_id = owner;
    if cardinality(held) > share then
        update gnomon_data.shard_leases as l set owner_id = null
         where l.lease_group = beat.lease_group and l.owner_id = owner and l.shard = any (held[share + 1:]);
    elsif coalesce(cardinality(held), 0) < share then
        with free as (
            select l.shard from gnomon_data.shard_leases as l
             where l.lease_group = beat.lease_group and (l.owner_id is null or l.owner_id <> all (alive))
             order by l.shard limit share - coalesce(cardinality(held), 0) for update skip locked
        ), taken as (
            update gnomon_data.shard_leases as l set owner_id = owner from free as f
             where l.lease_group = beat.lease_group and l.shard = f.shard returning l.shard
        )
        select array_agg(t.shard) into gained from taken as t;
    end if;
    return query select l.shard, coalesce(l.shard = any (gained), false) from gnomon_data.shard_leases as l
                  where l.lease_group = beat.lease_group and l.owner_id = owner order by l.shard;
end
$$;

comment on function gnomon.beat(uuid, text, text) is
    'One heartbeat and the shards that the owner now holds; is_new: gained by this call. Called every second; an owner silent for 3 s loses its shards.';
revoke all on function gnomon.beat(uuid, text, text) from public;
grant execute on function gnomon.beat(uuid, text, text) to gnomon_worker;
