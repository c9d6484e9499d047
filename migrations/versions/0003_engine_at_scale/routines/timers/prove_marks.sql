-- Second half: once every transaction that was open at begin_proof is over (xmin > xid), all rows below clock_utc that
-- will ever exist are visible. The mark moves to the first of them that is still there, read plainly: a locked row is
-- never passed.
create or replace function gnomon.prove_marks(plane text, shards smallint[], clock_utc timestamptz, xid text) returns boolean
language plpgsql volatile security definer set search_path = ''
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
as $$
declare
    first_left text;
begin
    if pg_snapshot_xmin(pg_current_snapshot()) <= prove_marks.xid::xid8 then
        return false;
    end if;
    if prove_marks.plane = 'timers' then
        select string_agg(format($sql$
                select m.lane, m.shard, f.at_utc from marks as m cross join lateral (
                    select i.fire_at_utc as at_utc from gnomon_data.%I as i
                     where i.shard = m.shard and i.lane = m.lane and i.fire_at_utc >= m.safe_at_utc and i.fire_at_utc < $3
                     order by i.fire_at_utc, i.subject_id limit 1) as f
                $sql$, p.period), ' union all ')
          into first_left
          from gnomon_data.periods as p
         where p.parent = 'timers' and p.from_utc < prove_marks.clock_utc and to_regclass('gnomon_data.' || p.period) is not null;
    else
        first_left := $sql$
            select m.lane, m.shard, f.at_utc
              from marks as m join gnomon_data.channels_in_use as u on u.lane = m.lane
             cross join lateral (
                   select i.ready_at_utc as at_utc from gnomon_data.deliveries as i
                    where i.lane = m.lane and i.shard = m.shard and i.channel = u.channel
                      and i.ready_at_utc >= m.safe_at_utc and i.ready_at_utc < $3
                    order by i.ready_at_utc, i.id limit 1) as f
            $sql$;
    end if;
    execute format($sql$
        with marks as materialized (
            select s.* from gnomon.safe_marks($1, $2) as s where s.safe_at_utc < $3
        ), first_left as (%s)
        insert into gnomon_data.shard_marks as k (plane, lane, shard, safe_at_utc)
        select $1, m.lane, m.shard, coalesce((select min(f.at_utc) from first_left as f where f.lane = m.lane and f.shard = m.shard), $3)
          from marks as m order by m.lane, m.shard
        on conflict on constraint shard_marks_pkey do update set safe_at_utc = excluded.safe_at_utc
        where k.safe_at_utc < excluded.safe_at_utc
        $sql$, coalesce(first_left, 'select null::smallint as lane, null::smallint as shard, null::timestamptz as at_utc where false'))
    using prove_marks.plane, prove_marks.shards, prove_marks.clock_utc;
    return true;
end
$$;

comment on function gnomon.prove_marks(text, smallint[], timestamptz, text) is
    'Moves the safe marks of a plane up to clock_utc, or to the first row still there; false when an older transaction is still open.';
revoke all on function gnomon.prove_marks(text, smallint[], timestamptz, text) from public;
grant execute on function gnomon.prove_marks(text, smallint[], timestamptz, text) to gnomon_worker;
