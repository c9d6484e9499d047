create or replace function gnomon.leave(owner uuid) returns void
language sql volatile security definer set search_path = ''
as $$
    update gnomon_data.shard_leases as l set owner_id = null where l.owner_id = owner;
    delete from gnomon_data.heartbeats as h where h.owner_id = owner or h.beat_at_utc < gnomon_data.now_utc() - interval '10 min';
$$;

comment on function gnomon.leave(uuid) is 'Gives up all leases of an owner at a clean stop, so that the others take over at their next beat.';
revoke all on function gnomon.leave(uuid) from public;
grant execute on function gnomon.leave(uuid) to gnomon_worker;
