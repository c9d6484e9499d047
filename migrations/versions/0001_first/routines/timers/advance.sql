-- misfire fire_once: one reminder after an outage, not thirty. next is asked with the scheduled instant of the one just
-- fired; when that next has passed too, it and all others up to now are missed, and the first after now comes.
create or replace function gnomon_data.advance(
    rule jsonb, time_zone text, due_at_utc timestamptz, now_utc timestamptz,
    out next_due_at_utc timestamptz, out nominal_local timestamp, out kind text, out missed_from_utc timestamptz)
language plpgsql stable set search_path = ''
as $$
begin
    select n.due_at_utc, n.nominal_local, n.kind into next_due_at_utc, nominal_local, kind
      from gnomon_data.next_occurrence(rule, time_zone, due_at_utc) as n;
    if next_due_at_utc <= now_utc then
        missed_from_utc := next_due_at_utc;
        select n.due_at_utc, n.nominal_local, n.kind into next_due_at_utc, nominal_local, kind
          from gnomon_data.next_occurrence(rule, time_zone, now_utc) as n;
    end if;
end
$$;

comment on function gnomon_data.advance(jsonb, text, timestamptz, timestamptz) is
    'The occurrence that follows the one due at due_at_utc, and from when on occurrences were missed until now.';
