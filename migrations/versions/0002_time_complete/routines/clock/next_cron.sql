-- Pinned hours follow f like any other rule. The walk in next_occurrence.sql says why wall order suffices. With on_overlap
-- second a reading before what the clock shows may still have its second pass ahead; that is so only within a day of the
-- change, and then the walk begins as much earlier as the clock goes back.
create or replace function gnomon_data.next_cron(
    rule jsonb, time_zone text, after_utc timestamptz, out due_at_utc timestamptz, out nominal_local timestamp, out kind text)
language plpgsql stable parallel safe
as $$
declare
    shown timestamp := after_utc at time zone time_zone;
    goes_back_for interval;
    found record;
begin
    if rule ? 'every_hour' then
        found := gnomon_data.next_cron_every_hour(rule, time_zone, after_utc);
        due_at_utc := found.due_at_utc;
        nominal_local := found.nominal_local;
        kind := case when due_at_utc is not null then 'exact' end;
        return;
    end if;
    if rule ? 'overlap' then
        goes_back_for := shown + interval '24 hours' - (after_utc + interval '24 hours') at time zone time_zone;
        shown := shown - greatest(goes_back_for, interval '0');
    end if;
    nominal_local := date_trunc('minute', shown);
    loop
        nominal_local := gnomon_data.next_cron_reading(rule, nominal_local + interval '1 minute');
        exit when nominal_local is null;
        due_at_utc := nominal_local at time zone time_zone;
        kind := 'exact';
        if due_at_utc at time zone time_zone <> nominal_local
           or (due_at_utc - interval '24 hours') at time zone time_zone <> nominal_local - interval '24 hours' then
            select i.at_utc, i.kind into due_at_utc, kind
              from gnomon_data.instant_of(nominal_local, time_zone, rule->>'gap', rule->>'overlap') as i;
        end if;
        if due_at_utc > after_utc then
            return;
        end if;
    end loop;
    due_at_utc := null;
    kind := null;
end
$$;

comment on function gnomon_data.next_cron(jsonb, text, timestamptz) is
    'next_occurrence for kind cron, before the offset: the first occurrence strictly later than after_utc; all null when nothing is left.';
