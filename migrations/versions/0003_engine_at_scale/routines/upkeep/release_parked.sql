-- What a settle could not release, because a caller's open transaction held the next one just then, is found here. A walk along
-- the ids, in all shards and channels at once: those at the front may rightly be parked for long, and whoever looks at them
-- each time never comes to the others.
create or replace function gnomon.release_parked(at_most int) returns int
language plpgsql volatile security definer set search_path = ''
as $$
declare
    walk constant gnomon_data.walks := gnomon_data.walk_from('parked');
    after_id constant uuid := case when walk.after_key = '' then '00000000-0000-0000-0000-000000000000'
                                   else encode(walk.after_key, 'hex')::uuid end;
    groups gnomon_data.order_group[];
    until_id uuid;
begin
    if walk.walk is null then
        return 0;
    end if;
    with looked_at as materialized (
        select p.*, count(*) over (partition by p.lane, p.shard, p.channel) = at_most as has_more
          from gnomon_data.channels_in_use as u
         cross join generate_series(0, 63) as s (shard)
         cross join lateral (
               select d.lane, d.shard, d.user_id, d.channel, d.id from gnomon_data.deliveries as d
                where d.lane = u.lane and d.shard = s.shard and d.channel = u.channel
                  and d.ready_at_utc = 'infinity' and d.id > after_id
                order by d.id limit at_most) as p
         where gnomon_data.keeps_order(u.lane)
    ), ends as (
        -- As far as every shard and channel was looked at; from the start again when none has more.
        select (array_agg(x.id order by x.id desc))[1] as until_id from looked_at as x where x.has_more
         group by x.lane, x.shard, x.channel order by 1 limit 1
    )
    select array_agg(distinct row(l.lane, l.shard, l.user_id, l.channel)::gnomon_data.order_group),
           (select e.until_id from ends as e)
      into groups, until_id from looked_at as l;
    update gnomon_data.walks as w set after_key = coalesce(uuid_send(until_id), '')
     where w.walk = walk.walk and w.after_key <> coalesce(uuid_send(until_id), '');
    return case when groups is null then 0 else gnomon_data.release_next(groups) end;
end
$$;

comment on function gnomon.release_parked(int) is
    'Looks at the next parked deliveries, at most that many a shard and channel, and lets those go that wait for nothing; how many.';
revoke all on function gnomon.release_parked(int) from public;
grant execute on function gnomon.release_parked(int) to gnomon_worker;
