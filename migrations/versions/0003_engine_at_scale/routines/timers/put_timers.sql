-- The one way into the time plane. The caller has taken its xid before it read now_utc (the write rule of
-- sql/timers/tables.sql); here a wanted instant that has passed is written at now, never below.
-- What lies outside of the periods that exist goes to timers_far: a caller that read the horizon before a period was
-- attached writes to far too, and both upkeep and the sweep look there. So does what falls on a day whose period somebody
-- detached or dropped by hand: the horizon still promises it, and an insert would undo an accept, or a whole batch of fires.
create or replace function gnomon_data.put_timers(given gnomon_data.timers[], now_utc timestamptz) returns void
language plpgsql volatile set search_path = ''
as $$
declare
    near_from timestamptz;
    near_until timestamptz;
begin
    select h.near_from_utc, h.near_until_utc into near_from, near_until from gnomon_data.horizon as h;
    -- From the first day meant to the last: one or two, mostly. What lies beyond a hole goes to far with what falls into it.
    select least(near_until, gnomon_data.first_hole(greatest(r.first_at, near_from), least(r.last_at + interval '1 us', near_until)))
      into near_until
      from (select min(greatest(t.fire_at_utc, now_utc)) as first_at, max(greatest(t.fire_at_utc, now_utc)) as last_at
              from unnest(given) as t) as r;
    insert into gnomon_data.timers (fire_at_utc, wanted_at_utc, stamp, subject_id, shard, lane, kind)
    select greatest(t.fire_at_utc, now_utc), t.wanted_at_utc, t.stamp, t.subject_id, t.shard, t.lane, t.kind
      from unnest(given) as t
     where greatest(t.fire_at_utc, now_utc) >= near_from and greatest(t.fire_at_utc, now_utc) < near_until
     order by t.shard;
    insert into gnomon_data.timers_far (fire_at_utc, wanted_at_utc, stamp, subject_id, shard, lane, kind)
    select greatest(t.fire_at_utc, now_utc), t.wanted_at_utc, t.stamp, t.subject_id, t.shard, t.lane, t.kind
      from unnest(given) as t
     where (greatest(t.fire_at_utc, now_utc) >= near_from and greatest(t.fire_at_utc, now_utc) < near_until) is not true
     order by t.shard;
end
$$;

comment on function gnomon_data.put_timers(gnomon_data.timers[], timestamptz) is
    'Inserts timers near or far, none before now_utc. now_utc was read after the transaction had its xid.';
