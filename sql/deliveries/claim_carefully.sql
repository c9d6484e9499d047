-- After an error of a claim: what it would have taken is locked first, then handed over one by one, each in a subtransaction,
-- by the same function: between the key just before a row and the first row behind it there is nothing but that row. What
-- raises is set aside, the rest is handed over in this call. At most a hundred: the next call goes on from there.
create or replace function gnomon.claim_carefully(
    lane text, channel text, shards smallint[], at_most int, lease_for interval, worker text,
    after_at timestamptz[] default null, after_id uuid[] default null)
returns setof gnomon.claimed
language plpgsql volatile security definer set search_path = ''
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
as $$
declare
    lane_number constant smallint := gnomon_data.check_claim(lane, at_most, lease_for);
    now_utc timestamptz;
    places gnomon_data.order_place[];
    p gnomon_data.order_place;
    code text;
    message text;
    constraint_hit text;
begin
    perform gnomon_data.require_read_committed();
    perform pg_current_xact_id();
    now_utc := gnomon_data.now_utc();
    execute format($sql$
        select array_agg(row(l.shard, null, null, l.ready_at_utc, l.id)::gnomon_data.order_place)
          from (select i.* from unnest($1, $2, $3) as s (shard, after_at, after_id)
                 cross join lateral (
                       select x.shard, x.ready_at_utc, x.id from gnomon_data.%1$I as x
                        where x.shard = s.shard and x.channel = $4
                          and (x.ready_at_utc, x.id) > (s.after_at, s.after_id) and x.ready_at_utc <= $5
                        order by x.ready_at_utc, x.id
                        limit $6 for no key update skip locked) as i
                 limit $6) as l
        $sql$, 'deliveries_' || claim_carefully.lane)
    into places using shards, coalesce(after_at, array_fill('-infinity'::timestamptz, array[cardinality(shards)])),
        coalesce(after_id, array_fill('00000000-0000-0000-0000-000000000000'::uuid, array[cardinality(shards)])),
        claim_carefully.channel, now_utc, least(at_most, 100);
    foreach p in array coalesce(places, '{}') loop
        begin
            return query select c.* from gnomon_data.claim_ready(lane_number, claim_carefully.channel, array[p.shard], array[p.due_at_utc],
                array[gnomon_data.id_before(p.id)], 1, lease_for, worker) as c;
        exception when others then
            get stacked diagnostics code = returned_sqlstate, message = message_text, constraint_hit = constraint_name;
            if not gnomon_data.is_poison(code, constraint_hit) then
                raise;
            end if;
            perform gnomon_data.set_aside_locked(lane_number, p.shard, p.id, code, message, now_utc);
        end;
    end loop;
end
$$;

comment on function gnomon.claim_carefully(text, text, smallint[], int, interval, text, timestamptz[], uuid[]) is
    'Takes over ready deliveries as exchange_deliveries does, at most 100, and sets aside what cannot be handed over, with its error (gnomon.set_aside). For a call after a claim has raised; raises itself what is no fault of a row.';
revoke all on function gnomon.claim_carefully(text, text, smallint[], int, interval, text, timestamptz[], uuid[]) from public;
grant execute on function gnomon.claim_carefully(text, text, smallint[], int, interval, text, timestamptz[], uuid[]) to gnomon_worker;
