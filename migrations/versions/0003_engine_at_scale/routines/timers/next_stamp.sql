create or replace function gnomon_data.next_stamp(old bigint, now_utc timestamptz) returns bigint
language sql stable parallel safe
as $$ select greatest(coalesce(old, 0) + 1, (extract(epoch from now_utc) * 1000000)::bigint) $$;

comment on function gnomon_data.next_stamp(bigint, timestamptz) is
    'A stamp that never repeats for an id, whatever the clock does: greatest(old + 1, microseconds of now).';
