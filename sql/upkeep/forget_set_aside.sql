-- A note outlives what it is about when that was cancelled, edited, paused or moved: then the note is over too.
create or replace function gnomon.forget_set_aside(at_most int) returns int
language plpgsql volatile security definer set search_path = ''
as $$
declare
    forgotten int;
begin
    delete from gnomon_data.set_aside as a
     where (a.shard, a.id) in (select x.shard, x.id from gnomon_data.set_aside as x
                                where not gnomon_data.is_still_aside(x) limit at_most for update skip locked);
    get diagnostics forgotten = row_count;
    return forgotten;
end
$$;

comment on function gnomon.forget_set_aside(int) is
    'Removes notes of what was set aside and has been cancelled or changed since; how many.';
revoke all on function gnomon.forget_set_aside(int) from public;
grant execute on function gnomon.forget_set_aside(int) to gnomon_worker;
