-- A note outlives what it is about when that was cancelled, edited, paused or moved: then the note is over too. What the view
-- gnomon.set_aside does not show, by the same words.
create or replace function gnomon.forget_set_aside(at_most int) returns int
language plpgsql volatile security definer set search_path = ''
as $$
declare
    forgotten int;
begin
    delete from gnomon_data.set_aside as a
     where (a.shard, a.id) in (select x.shard, x.id from gnomon_data.set_aside as x
                                where not x.is_only_copy
                                  and not exists (select from gnomon_data.schedules as s
                                                   where x.what = 'schedule' and s.shard = x.shard and s.id = x.id and s.stamp = x.stamp)
                                  and not exists (select from gnomon_data.deliveries as d
                                                   where x.what = 'delivery' and d.lane = x.lane and d.shard = x.shard and d.id = x.id
                                                     and d.ready_at_utc = gnomon_data.never_utc())
                                limit at_most for update of x skip locked);
    get diagnostics forgotten = row_count;
    return forgotten;
end
$$;

comment on function gnomon.forget_set_aside(int) is
    'Removes notes of what was set aside and has been cancelled or changed since; how many.';
revoke all on function gnomon.forget_set_aside(int) from public;
grant execute on function gnomon.forget_set_aside(int) to gnomon_worker;
