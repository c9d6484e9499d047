-- Decides at the acceptance when a compiled rule fires first, and what becomes of what is already over. anchored is the
-- rule to store: from then on next_occurrence alone decides.
-- is_skipped: nothing is to be scheduled, be it by if_past skip or because on_gap skip drops the one reading there is.
create or replace function gnomon_data.first_occurrence(
    rule jsonb, time_zone text, now_utc timestamptz, if_past text, out anchored jsonb, out due_at_utc timestamptz,
    out nominal_local timestamp, out kind text, out if_past_taken text, out is_skipped boolean, out fault gnomon_data.fault)
language plpgsql stable parallel safe
as $$
declare
    is_moment constant boolean := rule->>'kind' in ('instant', 'relative', 'once');
    first record;
begin
    is_skipped := false;
    if if_past not in ('next', 'now', 'skip', 'reject') then
        fault := gnomon_data.field_fault('GN024', '/if_past', 'must be one of next, now, skip, reject, not ' || gnomon_data.quoted(if_past));
    elsif if_past = 'next' and rule->>'kind' in ('instant', 'relative') then
        fault := gnomon_data.field_fault('GN024', '/if_past', 'next goes with a local time or a recurrence: an instant comes once',
            'now, skip or reject');
    elsif is_moment then
        first := gnomon_data.first_of_moment(rule, time_zone, now_utc, if_past);
    else
        first := gnomon_data.first_of_rule(rule, time_zone, now_utc, if_past);
    end if;
    if fault.code is not null then
        return;
    end if;
    anchored := first.anchored;
    due_at_utc := first.due_at_utc;
    nominal_local := first.nominal_local;
    kind := first.kind;
    if_past_taken := first.action;
    if if_past_taken = 'reject' then
        fault := gnomon_data.field_fault('GN023', '/schedule_at',
            format('is %s in the past', gnomon_data.how_long(now_utc - first.missed_at_utc)),
            'if_past now fires at once, skip accepts and fires nothing'
            || case when rule ? 'time' then ', next takes the next time it comes' else '' end);
    elsif if_past_taken = 'now' then
        due_at_utc := now_utc;
    elsif if_past_taken = 'skip' then
        due_at_utc := first.missed_at_utc;
        is_skipped := true;
    elsif due_at_utc is null and is_moment then
        is_skipped := true;
    elsif due_at_utc is null then
        fault := gnomon_data.field_fault('GN012', case when rule ? 'end' then '/recurrence/end_date' else '/recurrence' end,
            'leaves no occurrence after now: the rule never fires');
    end if;
end
$$;

comment on function gnomon_data.first_occurrence(jsonb, text, timestamptz, text) is
    'When a compiled rule is first due, the rule to store, the if_past that was taken (null when nothing was over), or the fault: GN012, GN023, GN024.';
