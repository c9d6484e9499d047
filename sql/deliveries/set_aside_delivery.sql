create or replace function gnomon.set_aside_delivery(delivery_id text, claim_id uuid, error_code text, constraint_name text, error_text text) returns boolean
language plpgsql volatile security definer set search_path = ''
set enable_seqscan = off set enable_bitmapscan = off
as $$
declare
    known_id constant uuid := gnomon_data.id_of('dlv', delivery_id);
    home constant smallint := gnomon_data.shard_of_id(known_id);
    lane_number constant smallint := gnomon_data.lane_of_id(known_id);
begin
    if gnomon_data.is_poison(error_code, set_aside_delivery.constraint_name) is not true then
        return false;
    end if;
    perform gnomon_data.require_read_committed();
    perform pg_current_xact_id();
    perform from gnomon_data.deliveries as d
      where d.lane = lane_number and d.shard = home and d.id = known_id and d.claim_id = set_aside_delivery.claim_id
        for no key update skip locked;
    if not found then
        return false;
    end if;
    perform gnomon_data.set_aside_locked(lane_number, home, known_id, error_code, coalesce(error_text, 'unknown'), gnomon_data.now_utc());
    return true;
end
$$;

comment on function gnomon.set_aside_delivery(text, uuid, text, text, text) is
    'Sets a claimed delivery aside whose outcome cannot be settled: it would be sent again and again. False when the error is no fault of the delivery, its claim no longer holds, or somebody holds it.';
revoke all on function gnomon.set_aside_delivery(text, uuid, text, text, text) from public;
grant execute on function gnomon.set_aside_delivery(text, uuid, text, text, text) to gnomon_worker;
