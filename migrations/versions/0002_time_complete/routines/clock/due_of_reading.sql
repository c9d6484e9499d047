-- Cron at all 24 hours has no reading of its own: a user who flew west has an hourly one in the next hour and not only when
-- the new wall has caught up with the old one. Null tells both who ask: go on from the instant.
create or replace function gnomon_data.due_of_reading(
    rule jsonb, time_zone text, reading timestamp, out due_at_utc timestamptz, out kind text)
language plpgsql stable strict parallel safe
as $$
declare
    found record;
begin
    if rule ? 'every_hour' then
        return;
    end if;
    found := gnomon_data.instant_of(reading, time_zone, rule->>'gap', rule->>'overlap');
    due_at_utc := found.at_utc + make_interval(secs => coalesce((rule->'offset')::float8, 0));
    kind := found.kind;
end
$$;

comment on function gnomon_data.due_of_reading(jsonb, text, timestamp) is
    'When one reading of a compiled rule is due in a zone, after the offset; null instant when the rule skips readings that a gap drops, and for cron at all hours, which no reading holds back.';
