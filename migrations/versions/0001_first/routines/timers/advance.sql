-- misfire fire_once: one reminder after an outage, not thirty. next is asked with the scheduled instant of the one just
-- fired; when that next has passed too, it and all others up to now are missed, and the first after now comes.
-- A user who moved while an occurrence was due has fired a reading of the old wall. The next has to lie behind that reading
-- on the new wall too, or Tuesday's nine o'clock comes a second time eight hours later. That due_at_utc does not read
-- nominal_local tells it (in a gap it does not either, and then the same instant comes out).
create or replace function gnomon_data.advance(
    rule jsonb, time_zone text, due_at_utc timestamptz, fired_local timestamp, now_utc timestamptz,
    out next_due_at_utc timestamptz, out nominal_local timestamp, out kind text, out missed_from_utc timestamptz)
language plpgsql stable set search_path = ''
as $$
declare
    after_utc timestamptz := due_at_utc;
begin
    if (due_at_utc - make_interval(secs => coalesce((rule -> 'offset')::float8, 0))) at time zone time_zone <> fired_local then
        after_utc := greatest(due_at_utc, (gnomon_data.due_of_reading(rule, time_zone, fired_local)).due_at_utc);
    end if;
    select n.due_at_utc, n.nominal_local, n.kind into next_due_at_utc, nominal_local, kind
      from gnomon_data.next_occurrence(rule, time_zone, after_utc) as n;
    if next_due_at_utc <= now_utc then
        missed_from_utc := next_due_at_utc;
        select n.due_at_utc, n.nominal_local, n.kind into next_due_at_utc, nominal_local, kind
          from gnomon_data.next_occurrence(rule, time_zone, now_utc) as n;
    end if;
end
$$;

comment on function gnomon_data.advance(jsonb, text, timestamptz, timestamp, timestamptz) is
    'The occurrence that follows the one due at due_at_utc with the reading fired_local, and from when on occurrences were missed until now.';
