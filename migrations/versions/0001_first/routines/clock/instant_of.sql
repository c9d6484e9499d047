-- f(L), the one primitive: the first instant at which the zone's clock reads L or later. A gap gives its end (02:30 ->
-- 03:00, not 03:30), an overlap its first pass. It never goes backwards as L grows.
-- PostgreSQL's own answer is right except at changes: it takes the second pass, and in a gap the offset before it.
-- Traps: never an interval with days on a timestamptz ('1 day', or what two timestamps a day apart subtract to): that
-- is a day of the session's zone. A gap may end on the next date and be a day long (Samoa). Two changes of one zone are
-- never closer than 6.9 days, so one probe is enough; they fall on whole minutes (since 1972), so the end of a gap is
-- found by bisection of minutes.
create or replace function gnomon_data.instant_of(
    reading timestamp, time_zone text, on_gap text, on_overlap text, out at_utc timestamptz, out kind text)
language plpgsql stable parallel safe
as $$
declare
    guess constant timestamptz := reading at time zone time_zone;
    shown constant timestamp := guess at time zone time_zone;
    day_before constant timestamptz := guess - interval '24 hours';
    earlier timestamptz;
    gap_minutes int;
begin
    if shown = reading then
        -- The same reading by the offset of a day before: in an overlap that is the first pass.
        earlier := (reading at time zone 'UTC') - ((day_before at time zone time_zone) - (day_before at time zone 'UTC'));
        kind := 'exact';
        at_utc := guess;
        if earlier < guess and earlier at time zone time_zone = reading then
            kind := 'overlap';
            at_utc := case on_overlap when 'second' then guess else earlier end;
        end if;
        return;
    end if;
    kind := 'gap';
    if on_gap = 'skip' then
        return;
    end if;
    -- The end of the gap lies within its own length before the guess: at_utc reads the reading or later, and what is
    -- gap_minutes before it does not.
    at_utc := date_bin(interval '1 minute', guess, timestamptz '2000-01-01 00:00+00');
    gap_minutes := extract(epoch from shown - reading)::int / 60;
    while gap_minutes > 1 loop
        if (at_utc - make_interval(mins => gap_minutes / 2)) at time zone time_zone >= reading then
            at_utc := at_utc - make_interval(mins => gap_minutes / 2);
            gap_minutes := gap_minutes - gap_minutes / 2;
        else
            gap_minutes := gap_minutes / 2;
        end if;
    end loop;
end
$$;

comment on function gnomon_data.instant_of(timestamp, text, text, text) is
    'The first instant at which the zone''s clock reads the given reading or later; kind exact, gap or overlap. on_gap skip: null in a gap. on_overlap second: the second pass.';
