-- SKIP LOCKED is no promise here: FOR KEY SHARE of a row that a transaction has claimed and settled, both uncommitted,
-- follows the row to its newer version and waits there, whatever it was told (heap_lock_updated_tuple). A consumer that
-- claims and settles in one transaction would so stop the fire, or deadlock with it. 20 ms, then the fire goes on without.
create or replace function gnomon_data.fire_in_order(
    shards smallint[], ids uuid[], now_utc timestamptz,
    out fired_count int, out expired_count int)
language sql volatile set search_path = ''
set lock_timeout = '20ms'
as $$
    select f.fired_count, f.expired_count
      from gnomon_data.fire_schedules(fire_in_order.shards, fire_in_order.ids, fire_in_order.now_utc, true) as f
$$;

comment on function gnomon_data.fire_in_order(smallint[], uuid[], timestamptz) is
    'fire_schedules that holds the order; lock_not_available when that would mean to wait.';
