-- Elapsed time: a day is 24 hours, a week is seven of them. Months and years have no length of their own and are
-- refused before the cast, which would take them, and which keeps days apart from hours: added to an instant such days
-- follow the session's zone. The result therefore has neither months nor days in it.
create or replace function gnomon_data.read_duration(
    given text, pointer text, may_be_negative boolean default false, out duration interval, out fault gnomon_data.fault)
language plpgsql immutable parallel safe
as $$
declare
    unit constant text := '[0-9]{1,9} +(week|day|hour|minute|second)s?';
    spoken text;
    span interval;
begin
    if given is null then
        return;
    elsif given ~ '^[+-]?P([0-9]{1,7}W)?([0-9]{1,9}D)?(T([0-9]{1,9}H)?([0-9]{1,9}M)?([0-9]{1,9}([.][0-9]{1,6})?S)?)?$'
          and right(given, 1) not in ('P', 'T') then
        -- So few digits that no interval is too short for them.
        span := ltrim(given, '+-')::interval;
    elsif given ~* ('^(in +)?' || unit || '( +' || unit || ')*$') then
        spoken := regexp_replace(given, '^in +', '', 'i');
        span := case when pg_input_is_valid(spoken, 'interval') then spoken::interval end;
    end if;
    if span is null then
        fault := gnomon_data.field_fault('GN024', pointer, 'must be a duration, not ' || gnomon_data.quoted(given),
            case when given ~* '(month|year)' or given ~ '^[+-]?P[0-9WD]*[0-9]+[YM]'
                 then 'months and years have no fixed length: give weeks or days, or an instant'
                 else 'such as PT2H, P1DT12H, P1W or "in 2 hours 30 minutes"' end);
    elsif span > interval '3653 days' then
        fault := gnomon_data.field_fault('GN024', pointer, format('must not be longer than ten years, %s is', gnomon_data.quoted(given)));
    elsif left(given, 1) = '-' and not may_be_negative then
        fault := gnomon_data.field_fault('GN024', pointer, format('must not be negative, %s is', gnomon_data.quoted(given)));
    else
        duration := make_interval(secs => (case when left(given, 1) = '-' then -1 else 1 end * extract(epoch from span))::float8);
    end if;
end
$$;

comment on function gnomon_data.read_duration(text, text, boolean) is
    'Reads an ISO 8601 duration of weeks, days, hours, minutes, seconds, or "[in ]N unit" repeated, up to ten years; GN024 for any other text, both null for null.';
