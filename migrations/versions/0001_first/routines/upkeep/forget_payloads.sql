-- Nothing ever points at a payload again once nothing does, so one look is enough.
create or replace function gnomon.forget_payloads(at_most int) returns int
language plpgsql volatile security definer set search_path = ''
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
    place gnomon_data.walks;
    piece gnomon_data.walks[];
    forgotten int;
begin
    place := gnomon_data.walk_from('payloads');
    if place.walk is null then
        return 0;
    end if;
    select array_agg(row(place.walk, p.shard, 0, uuid_send(p.id))::gnomon_data.walks order by p.shard, p.id) into piece
      from (select x.shard, x.id from gnomon_data.payloads as x
             where (x.shard, x.id) > (place.after_shard, rpad(encode(place.after_key, 'hex'), 32, '0')::uuid)
             order by x.shard, x.id limit at_most * 10) as p;
    perform gnomon_data.walk_to(place.walk, piece, at_most * 10);
    delete from gnomon_data.payloads as x using unnest(piece) as p
     where x.shard = p.after_shard and x.id = encode(p.after_key, 'hex')::uuid
       and not exists (select from gnomon_data.schedules as s where s.shard = x.shard and s.id = x.schedule_id and s.payload_id = x.id)
       and not exists (select from gnomon_data.deliveries as d where d.shard = x.shard and d.schedule_id = x.schedule_id and d.payload_id = x.id);
    get diagnostics forgotten = row_count;
    return forgotten;
end
$$;

comment on function gnomon.forget_payloads(int) is
    'Looks at the next ten times at_most long params and removes those to which neither a schedule nor a delivery points; how many.';
revoke all on function gnomon.forget_payloads(int) from public;
grant execute on function gnomon.forget_payloads(int) to gnomon_worker;
