-- Behind a reading that has fired, or that its user has left behind: asked with this instant, next_occurrence gives the next
-- reading in wall order, on whatever wall. f(reading) is that instant, but for a reading that a rule drops in a gap: the one
-- that the gap ends with exists and is due at that very instant.
create or replace function gnomon_data.after_reading(rule jsonb, time_zone text, reading timestamp) returns timestamptz
language plpgsql stable strict parallel safe
as $$
declare
    found record;
begin
    if rule ? 'every_hour' then
        return null;
    end if;
    found := gnomon_data.instant_of(reading, time_zone, null, rule->>'overlap');
    return found.at_utc + make_interval(secs => coalesce((rule->'offset')::float8, 0))
         - case when found.kind = 'gap' and rule->>'gap' = 'skip' then interval '1 us' else interval '0' end;
end
$$;

comment on function gnomon_data.after_reading(jsonb, text, timestamp) is
    'The instant to ask next_occurrence with for the reading after this one in wall order; null for cron at all hours, which goes by instants.';
