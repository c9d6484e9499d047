-- For consumers in any language, also inside their own transaction. Shards in a random order, so that several consumers
-- do not all begin with the same one; from the proven marks, since this form has no memory between calls. A consumer that is not
-- ours knows nothing of claim_carefully: what cannot be handed over is set aside here.
create or replace function gnomon.claim_deliveries(
    lane text, channel text, at_most int default 100, lease_for interval default '30 s', worker text default null)
returns setof gnomon.claimed
language plpgsql volatile security definer set search_path = ''
as $$
declare
    lane_number constant smallint := gnomon_data.check_claim(lane, at_most, lease_for);
    shards smallint[];
    after_at timestamptz[];
    code text;
    constraint_hit text;
begin
    select array_agg(m.shard order by m.place), array_agg(m.safe_at_utc order by m.place) into shards, after_at
      from (select s.shard, s.safe_at_utc, random() as place
              from gnomon.safe_marks('deliveries', (select array_agg(n::smallint) from generate_series(0, 63) as n)) as s
             where s.lane = lane_number) as m;
    begin
        return query select c.* from gnomon_data.claim_ready(lane_number, claim_deliveries.channel, shards, after_at,
            array_fill('00000000-0000-0000-0000-000000000000'::uuid, array[64]), at_most, lease_for, coalesce(worker, session_user)) as c;
    exception when others then
        get stacked diagnostics code = returned_sqlstate, constraint_hit = constraint_name;
        if not gnomon_data.is_poison(code, constraint_hit) then
            raise;
        end if;
        return query select c.* from gnomon.claim_carefully(lane, claim_deliveries.channel, shards, at_most, lease_for,
            coalesce(worker, session_user), after_at) as c;
    end;
end
$$;

comment on function gnomon.claim_deliveries(text, text, int, interval, text) is
    'Takes over at most at_most ready deliveries of a lane and channel for lease_for. Settle each with its claim_id before claimed_until_utc, else it is handed over again.';
revoke all on function gnomon.claim_deliveries(text, text, int, interval, text) from public;
grant execute on function gnomon.claim_deliveries(text, text, int, interval, text) to gnomon_worker;
