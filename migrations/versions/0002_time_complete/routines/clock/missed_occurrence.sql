-- What if_past asks about: the occurrence that the rule would have had on its first day, when that day's reading is
-- already over. The first day is start_date, else today there. To be asked before the rule has its anchor: one that
-- begins on the first day it can fire has left today out because of the hour, and the answer shall say so.
create or replace function gnomon_data.missed_occurrence(
    rule jsonb, time_zone text, now_utc timestamptz, out due_at_utc timestamptz, out nominal_local timestamp, out kind text)
language plpgsql stable parallel safe
as $$
declare
    today constant date := (now_utc at time zone time_zone)::date;
    first_on constant date := coalesce((rule->>'start')::date, today);
    found record;
    first_rule jsonb := gnomon_data.free_rule(rule) || jsonb_build_object('start', to_char(first_on::timestamp, 'YYYY-MM-DD'));
begin
    if rule->>'kind' = 'elapsed' then
        due_at_utc := (rule->>'from')::timestamptz + make_interval(secs => coalesce((rule->'offset')::float8, 0));
        due_at_utc := case when due_at_utc <= now_utc then due_at_utc end;
        return;
    elsif first_on > today then
        return;
    end if;
    if rule->>'kind' = 'time' then
        first_rule := first_rule || jsonb '{"kind": "daily"}';
    end if;
    -- Two days before the date in UTC no zone has come to it yet.
    found := gnomon_data.next_occurrence(first_rule - 'offset', time_zone,
        (first_on::timestamp - interval '2 days') at time zone 'UTC');
    found.due_at_utc := found.due_at_utc + make_interval(secs => coalesce((rule->'offset')::float8, 0));
    if found.due_at_utc <= now_utc then
        due_at_utc := found.due_at_utc;
        nominal_local := found.nominal_local;
        kind := found.kind;
    end if;
end
$$;

comment on function gnomon_data.missed_occurrence(jsonb, text, timestamptz) is
    'The occurrence of the rule''s first day (start_date, else today) when it is over at now_utc; all null when it is still to come.';
