-- A poll: one plain read for all lanes and shards, no lock. Three buffers a shard and lane when nothing is due.
-- The keys are hints of the caller's memory: nothing below them is looked at, the sweep looks there.
create or replace function gnomon.next_due(
    lanes smallint[], lane_shards smallint[], after_at timestamptz[], after_id uuid[])
returns table (now_utc timestamptz, lane smallint, shard smallint, first_at_utc timestamptz, first_id uuid)
language plpgsql stable security definer set search_path = ''
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
as $$
declare
    clock constant timestamptz := gnomon_data.now_utc();
    due_until constant timestamptz := clock + gnomon_data.fire_ahead();
    probes text;
begin
    select string_agg(format($sql$
            select b.lane, b.shard, f.fire_at_utc, f.subject_id
              from unnest($1, $2, $3, $4) as b (lane, shard, after_at, after_id)
             cross join lateral (
                   select i.fire_at_utc, i.subject_id from gnomon_data.%I as i
                    where i.shard = b.shard and i.lane = b.lane and (i.fire_at_utc, i.subject_id) > (b.after_at, b.after_id)
                    order by i.fire_at_utc, i.subject_id limit 1) as f
            $sql$, p.period), ' union all ')
      into probes
      from gnomon_data.periods as p
     where p.parent = 'timers' and p.from_utc <= due_until + interval '1 s'
       and p.until_utc > (select min(a) from unnest(after_at) as a)
       and to_regclass('gnomon_data.' || p.period) is not null;
    if probes is null then
        return query select clock, null::smallint, null::smallint, null::timestamptz, null::uuid;
        return;
    end if;
    return query execute format($sql$
        with firsts as materialized (%s)
        select $5, f.lane, f.shard, min(f.fire_at_utc), (array_agg(f.subject_id order by f.fire_at_utc, f.subject_id))[1]
          from firsts as f where f.fire_at_utc <= $6 group by f.lane, f.shard
        union all
        select $5, null, null, min(f.fire_at_utc) filter (where f.fire_at_utc > $6), null from firsts as f
        $sql$, probes) using lanes, lane_shards, after_at, after_id, clock, due_until;
end
$$;

comment on function gnomon.next_due(smallint[], smallint[], timestamptz[], uuid[]) is
    'Per (lane, shard) the first visible timer above the key when it is due within the look-ahead; and always one row with nulls that holds the earliest instant not yet due.';
revoke all on function gnomon.next_due(smallint[], smallint[], timestamptz[], uuid[]) from public;
grant execute on function gnomon.next_due(smallint[], smallint[], timestamptz[], uuid[]) to gnomon_worker;
