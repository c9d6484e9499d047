create or replace function gnomon.forget_payloads(at_most int) returns int
language plpgsql volatile security definer set search_path = ''
as $$
declare
    forgotten int;
begin
    with orphaned as (
        select p.shard, p.id from gnomon_data.payloads as p
         where not exists (select from gnomon_data.schedules as s where s.shard = p.shard and s.id = p.schedule_id and s.payload_id = p.id)
           and not exists (select from gnomon_data.deliveries as d where d.shard = p.shard and d.schedule_id = p.schedule_id and d.payload_id = p.id)
         limit at_most for update skip locked
    )
    delete from gnomon_data.payloads as p using orphaned as o where p.shard = o.shard and p.id = o.id;
    get diagnostics forgotten = row_count;
    return forgotten;
end
$$;

comment on function gnomon.forget_payloads(int) is 'Removes long params to which neither a schedule nor a delivery points; how many.';
revoke all on function gnomon.forget_payloads(int) from public;
grant execute on function gnomon.forget_payloads(int) to gnomon_worker;
