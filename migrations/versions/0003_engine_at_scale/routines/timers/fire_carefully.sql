-- After an error of fire_slice or fire_far: the same take, then piece by piece, so that what raises is found and set aside and
-- everything else of the batch fires now. It costs up to log2(batch) times as much for each row that raises, which is why it is
-- a second call and no part of the first.
create or replace function gnomon.fire_carefully(
    lane smallint, shards smallint[], after_at timestamptz[], after_id uuid[], each int,
    out taken_count int, out fired_count int, out set_back_count int, out stale_count int, out expired_count int, out is_full boolean,
    out set_aside_count int)
language plpgsql volatile security definer set search_path = ''
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
as $$
declare
    now_utc timestamptz;
    taken gnomon_data.timers[];
begin
    perform gnomon_data.require_read_committed();
    perform pg_current_xact_id();
    now_utc := gnomon_data.now_utc();
    if lane is null then
        taken := gnomon_data.take_far(shards, now_utc + gnomon_data.fire_ahead(), each);
    else
        taken := gnomon_data.take_slice(fire_carefully.lane, shards, after_at, after_id, now_utc + gnomon_data.fire_ahead(), each);
    end if;
    fired_count := 0; set_back_count := 0; stale_count := 0; expired_count := 0; set_aside_count := 0;
    if cardinality(taken) > 0 then
        select f.* into fired_count, set_back_count, stale_count, expired_count, set_aside_count
          from gnomon_data.fire_apart(taken, now_utc) as f;
    end if;
    taken_count := cardinality(taken);
    is_full := cardinality(taken) >= each;
end
$$;

comment on function gnomon.fire_carefully(smallint, smallint[], timestamptz[], uuid[], int) is
    'fire_slice (fire_far where lane is null) that sets aside what cannot be fired, with its error (gnomon.set_aside), and fires the rest. For a call after fire_slice has raised; raises itself what is no fault of a row.';
revoke all on function gnomon.fire_carefully(smallint, smallint[], timestamptz[], uuid[], int) from public;
grant execute on function gnomon.fire_carefully(smallint, smallint[], timestamptz[], uuid[], int) to gnomon_worker;
