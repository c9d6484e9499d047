-- What a settle could not release, because a caller's open transaction held the next one just then, is found here.
create or replace function gnomon.release_parked(at_most int) returns int
language plpgsql volatile security definer set search_path = ''
as $$
declare
    groups gnomon_data.order_group[];
begin
    select array_agg(distinct row(p.lane, p.shard, p.user_id, p.channel)::gnomon_data.order_group) into groups
      from gnomon_data.channels_in_use as u
     cross join generate_series(0, 63) as s (shard)
     cross join lateral (
           select d.lane, d.shard, d.user_id, d.channel from gnomon_data.deliveries as d
            where d.lane = u.lane and d.shard = s.shard and d.channel = u.channel and d.ready_at_utc = 'infinity' limit at_most) as p
     where gnomon_data.keeps_order(u.lane);
    return case when groups is null then 0 else gnomon_data.release_next(groups) end;
end
$$;

comment on function gnomon.release_parked(int) is
    'Looks at parked deliveries, at most that many a shard and channel, and lets those go that wait for nothing; how many.';
revoke all on function gnomon.release_parked(int) from public;
grant execute on function gnomon.release_parked(int) to gnomon_worker;
