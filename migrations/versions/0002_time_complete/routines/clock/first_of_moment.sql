-- A clock that is a little behind and a request that took its time are no reason to refuse: up to five minutes late
-- fires at once. Later than that somebody is mistaken.
create or replace function gnomon_data.first_of_moment(
    rule jsonb, time_zone text, now_utc timestamptz, if_past text, out anchored jsonb, out due_at_utc timestamptz,
    out nominal_local timestamp, out kind text, out missed_at_utc timestamptz, out action text)
language plpgsql stable parallel safe
as $$
declare
    found record;
begin
    anchored := rule;
    if rule->>'kind' = 'relative' then
        anchored := (rule - 'in') || jsonb_build_object('kind', 'instant',
            'at', gnomon_data.instant_text(now_utc + make_interval(secs => (rule->'in')::float8)));
    end if;
    if rule->>'kind' = 'once' then
        nominal_local := (rule->>'date')::date + (rule->>'time')::time;
        found := gnomon_data.due_of_reading(rule, time_zone, nominal_local);
        due_at_utc := found.due_at_utc;
        kind := found.kind;
    else
        due_at_utc := (anchored->>'at')::timestamptz + make_interval(secs => coalesce((rule->'offset')::float8, 0));
    end if;
    if due_at_utc >= now_utc or due_at_utc is null then
        return;
    end if;
    missed_at_utc := due_at_utc;
    action := coalesce(if_past, case when now_utc - due_at_utc <= interval '5 minutes' then 'now' else 'reject' end);
    if action = 'next' then
        found := gnomon_data.next_occurrence((rule - 'date') || jsonb '{"kind": "daily"}', time_zone, now_utc);
        due_at_utc := found.due_at_utc;
        nominal_local := found.nominal_local;
        kind := found.kind;
        anchored := rule || jsonb_build_object('date', to_char(nominal_local::timestamp, 'YYYY-MM-DD'));
    end if;
end
$$;

comment on function gnomon_data.first_of_moment(jsonb, text, timestamptz, text) is
    'first_occurrence for instant, relative and once: what is due, and when that is over, since when and what to do: now, reject, skip or, for a local time, next.';
