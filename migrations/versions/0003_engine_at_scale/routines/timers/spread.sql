-- Forward only and deterministic: plus or minus would fire early, and a random one would move at every edit.
create or replace function gnomon_data.spread(id uuid, due_at_utc timestamptz, window_for interval) returns timestamptz
language sql stable parallel safe
as $$
    select case when window_for is null then due_at_utc else due_at_utc + make_interval(secs => round(
        extract(epoch from window_for) * (('x' || substr(encode(sha256(uuid_send(id)
            || int8send((extract(epoch from due_at_utc) * 1000)::bigint)), 'hex'), 1, 8))::bit(32)::bigint / 4294967296.0), 3)::double precision) end
$$;

comment on function gnomon_data.spread(uuid, timestamptz, interval) is
    'The instant in [due, due + window) at which this occurrence of this schedule fires; milliseconds.';
