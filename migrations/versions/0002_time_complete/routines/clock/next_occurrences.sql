-- A preview, so the list is cut where a schedule would end: by end_date, and by end_after less what has fired.
create or replace function gnomon.next_occurrences(rule jsonb, time_zone text, after_utc timestamptz, at_most int default 10)
returns setof gnomon.occurrence
language plpgsql stable security definer set search_path = ''
as $$
declare
    compiled jsonb;
    left_count int := at_most;
    last_utc timestamptz := after_utc;
    shown timestamp;
    found record;
begin
    if at_most is null or at_most not between 1 and 1000 then
        perform gnomon_data.fail('GN024', format('at_most must be from 1 to 1000, not %s', coalesce(at_most::text, 'null')),
            pointer => '/at_most');
    elsif after_utc is null or after_utc not between timestamptz '0001-01-02 00:00+00' and timestamptz '9999-12-30 00:00+00' then
        perform gnomon_data.fail('GN024',
            format('after_utc must be an instant of the years 1 to 9999, not %s', coalesce(after_utc::text, 'null')),
            pointer => '/after_utc');
    end if;
    perform gnomon_data.raise_fault(gnomon_data.zone_fault(time_zone));
    compiled := gnomon_data.compile_preview(rule);
    if compiled ? 'end_after' then
        left_count := least(left_count, (compiled->>'end_after')::int - coalesce((rule->>'fired_count')::int, 0));
    end if;
    compiled := gnomon_data.anchor_rule(compiled, time_zone, after_utc);
    while left_count > 0 loop
        found := gnomon_data.next_occurrence(compiled, time_zone, last_utc);
        if found.due_at_utc is null and last_utc = after_utc and not compiled ?| array['end', 'until'] then
            perform gnomon_data.fail('GN012', 'the rule never fires: it has no day within 52 years', pointer => '');
        end if;
        exit when found.due_at_utc is null;
        last_utc := found.due_at_utc;
        left_count := left_count - 1;
        shown := last_utc at time zone time_zone;
        return next row(last_utc, shown, shown - (last_utc at time zone 'UTC'), found.kind)::gnomon.occurrence;
    end loop;
end
$$;

comment on function gnomon.next_occurrences(jsonb, text, timestamptz, int) is
    'The next occurrences of a rule strictly after after_utc. rule: the recurrence object of a request, with schedule_at, on_gap, on_overlap, offset, fired_count beside its fields. Without start_date, interval and the default weekday count from the first day it can fire after after_utc.';
revoke all on function gnomon.next_occurrences(jsonb, text, timestamptz, int) from public;
grant execute on function gnomon.next_occurrences(jsonb, text, timestamptz, int) to gnomon_caller, gnomon_reader;
