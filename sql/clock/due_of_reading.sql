create or replace function gnomon_data.due_of_reading(
    rule jsonb, time_zone text, reading timestamp, out due_at_utc timestamptz, out kind text)
language plpgsql stable strict parallel safe
as $$
declare
    found record;
begin
    found := gnomon_data.instant_of(reading, time_zone, rule->>'gap', rule->>'overlap');
    due_at_utc := found.at_utc + make_interval(secs => coalesce((rule->'offset')::float8, 0));
    kind := found.kind;
end
$$;

comment on function gnomon_data.due_of_reading(jsonb, text, timestamp) is
    'When one reading of a compiled rule is due in a zone, after the offset; null instant when the rule skips readings that a gap drops.';
