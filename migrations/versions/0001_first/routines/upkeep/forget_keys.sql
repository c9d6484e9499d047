-- A dedup key is remembered while anything of its schedule is pending and 48 h after; a natural key goes with its
-- schedule. In batches: one statement over
-- all keys would be a long transaction and hold the horizon.
create or replace function gnomon.forget_keys(at_most int) returns int
language plpgsql volatile security definer set search_path = ''
as $$
declare
    now_utc constant timestamptz := gnomon_data.now_utc();
    forgotten int;
begin
    with expired as (
        select k.shard, k.kind, k.key_hash from gnomon_data.schedule_keys as k
         where k.keep_until_utc < now_utc limit at_most for update skip locked
    ), gone as (
        delete from gnomon_data.schedule_keys as k using expired as e
         where k.shard = e.shard and k.kind = e.kind and k.key_hash = e.key_hash returning 1
    ), over as (
        select k.shard, k.kind, k.key_hash from gnomon_data.schedule_keys as k
         where k.keep_until_utc is null
           and not exists (select from gnomon_data.schedules as s where s.shard = k.shard and s.id = k.schedule_id)
           and not exists (select from gnomon_data.deliveries as d where d.shard = k.shard and d.schedule_id = k.schedule_id)
         limit at_most for update skip locked
    ), marked as (
        update gnomon_data.schedule_keys as k
           set keep_until_utc = case when k.kind = 0 then now_utc + interval '48 h' else now_utc end
          from over as o where k.shard = o.shard and k.kind = o.kind and k.key_hash = o.key_hash returning 1
    )
    select (select count(*) from gone) + (select count(*) from marked) into forgotten;
    return forgotten;
end
$$;

comment on function gnomon.forget_keys(int) is
    'Gives keys whose schedule is over their term (48 h for dedup_key) and removes those past it; how many rows were touched.';
revoke all on function gnomon.forget_keys(int) from public;
grant execute on function gnomon.forget_keys(int) to gnomon_worker;
