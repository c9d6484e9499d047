-- UUIDv7 layout: 48 bits of milliseconds, then, where v7 has random bits, the lane and the shard, so that an id alone
-- tells which partition holds its row. A delivery's milliseconds are its due instant, so its log partition is known too:
-- cut and not rounded, or the last half millisecond of a day would name the next one's.
create or replace function gnomon_data.new_id(shard smallint, at_utc timestamptz, lane smallint default 0) returns uuid
language sql volatile parallel safe
as $$
    select (lpad(to_hex(floor(extract(epoch from at_utc) * 1000)::bigint), 12, '0')
            || '7' || to_hex(lane::int) || lpad(to_hex(shard::int), 2, '0')
            || substr(gen_random_uuid()::text, 20))::uuid
$$;

comment on function gnomon_data.new_id(smallint, timestamptz, smallint) is
    'A fresh id: milliseconds of at_utc, lane (4 bits), shard (8 bits), 62 random bits.';
