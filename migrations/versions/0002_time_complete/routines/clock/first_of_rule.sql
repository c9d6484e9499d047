create or replace function gnomon_data.first_of_rule(
    rule jsonb, time_zone text, now_utc timestamptz, if_past text, out anchored jsonb, out due_at_utc timestamptz,
    out nominal_local timestamp, out kind text, out missed_at_utc timestamptz, out action text)
language plpgsql stable parallel safe
as $$
declare
    every_day constant jsonb := rule || jsonb '{"kind": "daily"}';
    found record;
    missed record;
begin
    anchored := gnomon_data.anchor_rule(rule, time_zone, now_utc);
    found := gnomon_data.next_occurrence(case rule->>'kind' when 'time' then every_day else anchored end, time_zone, now_utc);
    if rule ? 'start' or found.nominal_local is null or found.nominal_local::date > (now_utc at time zone time_zone)::date then
        missed := gnomon_data.missed_occurrence(rule, time_zone, now_utc);
        missed_at_utc := missed.due_at_utc;
        action := case when missed_at_utc is not null then coalesce(if_past, 'next') end;
    end if;
    if action = 'now' then
        -- Fired now, the missed occurrence is the first: the weekday and `every` count from its day.
        anchored := gnomon_data.anchor_rule(rule, time_zone, missed_at_utc - interval '1 microsecond');
        found := missed;
    end if;
    due_at_utc := found.due_at_utc;
    nominal_local := found.nominal_local;
    kind := found.kind;
    if rule->>'kind' = 'time' then
        anchored := rule || jsonb_build_object('kind', 'once', 'date', to_char(nominal_local::timestamp, 'YYYY-MM-DD'));
    end if;
end
$$;

comment on function gnomon_data.first_of_rule(jsonb, text, timestamptz, text) is
    'first_occurrence for a local time without a date and for recurrences: the first due occurrence, and when the first day''s is over, since when and what to do.';
