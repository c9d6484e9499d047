-- By division, not by a walk: after a year of outage PT1S has 31 million steps behind it. In whole microseconds: seconds as
-- a double lose them.
create or replace function gnomon_data.next_elapsed(rule jsonb, after_utc timestamptz) returns timestamptz
language plpgsql stable parallel safe
as $$
declare
    from_utc constant timestamptz := (rule->>'from')::timestamptz;
    step constant bigint := (rule->'step')::numeric * 1000000;
    passed constant bigint := extract(epoch from after_utc - from_utc) * 1000000;
    at_utc timestamptz;
begin
    at_utc := from_utc + (case when passed < 0 then 0 else passed / step + 1 end * step) * interval '1 microsecond';
    return case when at_utc <= timestamptz '9999-12-31 00:00+00' then at_utc end;
end
$$;

comment on function gnomon_data.next_elapsed(jsonb, timestamptz) is
    'The first instant strictly later than after_utc of from, from + step, from + 2 steps and so on; null after the year 9999.';
