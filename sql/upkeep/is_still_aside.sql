create or replace function gnomon_data.is_still_aside(a gnomon_data.set_aside) returns boolean
language sql stable
as $$
    select case when a.what = 'schedule'
                then exists (select from gnomon_data.schedules as s where s.shard = a.shard and s.id = a.id and s.stamp = a.stamp)
                else a.is_only_copy or exists (select from gnomon_data.deliveries as d where d.lane = a.lane and d.shard = a.shard and d.id = a.id
                                                  and d.ready_at_utc = gnomon_data.never_utc()) end
$$;

comment on function gnomon_data.is_still_aside(gnomon_data.set_aside) is
    'Whether what was set aside is still as it was then: neither cancelled nor changed.';
