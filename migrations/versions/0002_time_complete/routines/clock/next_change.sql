create or replace function gnomon_data.next_change(time_zone text, from_utc timestamptz, to_utc timestamptz) returns timestamptz
language plpgsql stable parallel safe
as $$
declare
    -- from_utc + before keeps the offset of from_utc, from_utc + behind has the other one; in seconds, as before 1972.
    before bigint := 0;
    behind bigint := ceil(extract(epoch from to_utc - from_utc))::bigint;
    base_utc constant timestamptz := date_trunc('second', from_utc);
    old_offset constant interval := from_utc at time zone time_zone - from_utc at time zone 'UTC';
    middle_utc timestamptz;
begin
    while behind - before > 1 loop
        middle_utc := base_utc + make_interval(secs => (before + behind) / 2);
        if middle_utc at time zone time_zone - middle_utc at time zone 'UTC' = old_offset then
            before := (before + behind) / 2;
        else
            behind := (before + behind) / 2;
        end if;
    end loop;
    return base_utc + make_interval(secs => behind);
end
$$;

comment on function gnomon_data.next_change(text, timestamptz, timestamptz) is
    'The first instant after from_utc with another offset than it, where the two instants'' offsets differ and one change lies between them.';
