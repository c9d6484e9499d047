-- What becomes of an occurrence that a poller has come to, and what comes next. next is asked with the scheduled instant of
-- the one just fired. What is due by now as well was missed: nobody was there, or the schedule was paused. misfire decides:
--   fire_once  this one fires; the others are left out, and the first after now comes: one reminder, not thirty
--   skip       what is more than max_lateness late is left out, the rest fires
--   catch_up   the newest misfire_limit fire, the oldest of them first; the older ones are left out
-- max_lateness leaves out what is later than that under every policy. No state: the stored instant and the clock decide anew
-- at each occurrence, so what is caught up comes one timer after the other, each looked at when its turn comes.
-- An occurrence is late when its whole window is over: within it, it fires where the spread has put it.
-- How many were left out is counted, not walked (count_occurrences.sql).
-- A user who moved while an occurrence was due has fired a reading of the old wall. The next is the one behind that reading
-- on the new wall: westward Tuesday's nine o'clock would come a second time eight hours later, and over the date line
-- Wednesday's, at the very instant of Tuesday's, would never come. That due_at_utc does not read nominal_local tells it (in
-- a gap it does not either, and then the same instant comes out).
create or replace function gnomon_data.advance(
    rule jsonb, time_zone text, due_at_utc timestamptz, fired_local timestamp, window_for interval, expires_at_utc timestamptz,
    fired_count int, now_utc timestamptz, out outcome text, out is_last boolean,
    out next_due_at_utc timestamptz, out nominal_local timestamp, out kind text, out missed jsonb)
language plpgsql stable set search_path = ''
as $$
declare
    policy constant text := coalesce(rule ->> 'misfire', 'fire_once');
    -- Due up to here, an occurrence is missed; due before `latest`, it is too late for any.
    until_utc constant timestamptz := now_utc - coalesce(window_for, interval '0');
    latest_utc constant timestamptz := until_utc - make_interval(secs => (rule -> 'late')::float8);
    after_utc timestamptz := due_at_utc;
    resume_utc timestamptz;
    is_missed boolean := coalesce(due_at_utc < latest_utc, false);
    found record;
    missed_count bigint := 0;
    has_all boolean;
begin
    if rule ->> 'kind' not in ('instant', 'once') then
        if (due_at_utc - make_interval(secs => coalesce((rule -> 'offset')::float8, 0))) at time zone time_zone <> fired_local then
            after_utc := coalesce(gnomon_data.after_reading(rule, time_zone, fired_local), due_at_utc);
        end if;
        found := gnomon_data.next_occurrence(rule, time_zone, after_utc);
        if found.due_at_utc <= until_utc then
            resume_utc := greatest(after_utc, latest_utc - interval '1 us');
            if policy = 'catch_up' then
                is_missed := is_missed or gnomon_data.count_occurrences(rule, time_zone, resume_utc, until_utc) >= (rule -> 'limit')::int;
                if is_missed then
                    resume_utc := gnomon_data.before_last(rule, time_zone, resume_utc, until_utc, (rule -> 'limit')::int);
                end if;
            elsif policy = 'fire_once' and not is_missed then
                resume_utc := until_utc;
            end if;
            missed := jsonb_build_object('from', gnomon_data.rfc3339(found.due_at_utc));
            if resume_utc > after_utc then
                found := gnomon_data.next_occurrence(rule, time_zone, resume_utc);
                missed_count := gnomon_data.count_occurrences(rule, time_zone, after_utc, least(found.due_at_utc - interval '1 us', until_utc));
            end if;
        end if;
        next_due_at_utc := found.due_at_utc;
        nominal_local := found.nominal_local;
        kind := found.kind;
    end if;
    outcome := case when expires_at_utc <= now_utc then 'expired' when is_missed then 'missed' else 'fired' end;
    if outcome = 'missed' then
        missed := jsonb_build_object('from', gnomon_data.rfc3339(due_at_utc));
        missed_count := missed_count + 1;
    end if;
    has_all := coalesce(fired_count + (outcome = 'fired')::int >= (rule ->> 'end_after')::int, false);
    is_last := has_all or next_due_at_utc is null;
    -- A course that has all of its occurrences misses none.
    missed := case when missed_count > 0 and not has_all then missed || jsonb_build_object(
        'until', gnomon_data.rfc3339(now_utc), 'count', missed_count, 'policy', policy) end;
end
$$;

comment on function gnomon_data.advance(jsonb, text, timestamptz, timestamp, interval, timestamptz, int, timestamptz) is
    'What becomes of the occurrence due at due_at_utc, by misfire and expiry (fired, expired, missed); the one that follows it; and what was missed until now: from, until, count, policy.';
