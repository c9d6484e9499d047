create or replace function gnomon.safe_marks(plane text, shards smallint[])
returns table (lane smallint, shard smallint, safe_at_utc timestamptz)
language sql stable security definer set search_path = ''
as $$
    select l.lane, s.shard, coalesce(m.safe_at_utc, '-infinity')
      from unnest(array[0, 1, 2]::smallint[]) as l (lane)
     cross join unnest(safe_marks.shards) as s (shard)
      left join gnomon_data.shard_marks as m on m.plane = safe_marks.plane and m.lane = l.lane and m.shard = s.shard
$$;

comment on function gnomon.safe_marks(text, smallint[]) is
    'The proven marks of a plane (timers, deliveries): below them nothing is left. -infinity where none was proven yet.';
revoke all on function gnomon.safe_marks(text, smallint[]) from public;
grant execute on function gnomon.safe_marks(text, smallint[]) to gnomon_worker;
