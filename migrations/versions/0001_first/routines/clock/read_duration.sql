-- Elapsed time: a day is 24 hours, a week is seven of them. Months and years have no length of their own and are
-- refused; PostgreSQL's own parser would take them, and would keep days apart from hours, which then follow the
-- session's zone when added to an instant. The result therefore has neither months nor days in it.
create or replace function gnomon_data.read_duration(
    given text, pointer text, may_be_negative boolean default false, out duration interval, out fault gnomon_data.fault)
language plpgsql immutable parallel safe
as $$
declare
    iso constant text := '^([+-]?)P(?:([0-9]{1,9})W)?(?:([0-9]{1,9})D)?(?:T(?:([0-9]{1,9})H)?(?:([0-9]{1,9})M)?(?:([0-9]{1,9}(?:[.][0-9]{1,6})?)S)?)?$';
    item constant text := '([0-9]{1,9}) +(week|day|hour|minute|second)s?';
    lengths constant int[] := array[604800, 86400, 3600, 60, 1];
    units constant text[] := array['week', 'day', 'hour', 'minute', 'second'];
    part text[];
    seconds numeric := 0;
begin
    if given is null then
        return;
    elsif given ~ iso and given !~ '[PT]$' then
        part := regexp_match(given, iso);
        for n in 1..5 loop
            seconds := seconds + coalesce(part[n + 1]::numeric, 0) * lengths[n];
        end loop;
    elsif given ~* format('^(in +)?%s( +%s)*$', item, item) then
        for part in select regexp_matches(lower(given), item, 'g') loop
            seconds := seconds + part[1]::numeric * lengths[array_position(units, part[2])];
        end loop;
    else
        fault := gnomon_data.field_fault('GN024', pointer, format('must be a duration, not "%s"', left(given, 64)),
            case when given ~* '(month|year)' or given ~ '^[+-]?P[0-9WD]*[0-9]+[YM]' then 'months and years have no fixed length: give weeks or days, or an instant'
                 else 'such as PT2H, P1DT12H, P1W or "in 2 hours 30 minutes"' end);
        return;
    end if;
    if seconds > 3653 * 86400 then
        fault := gnomon_data.field_fault('GN024', pointer, format('must not be longer than ten years, "%s" is', left(given, 64)));
    elsif given ~ '^-' and not may_be_negative then
        fault := gnomon_data.field_fault('GN024', pointer, format('must not be negative, "%s" is', left(given, 64)));
    else
        duration := make_interval(secs => (case when given ~ '^-' then -seconds else seconds end)::float8);
    end if;
end
$$;

comment on function gnomon_data.read_duration(text, text, boolean) is
    'Reads an ISO 8601 duration of weeks, days, hours, minutes, seconds, or "[in ]N unit" repeated, up to ten years; GN024 for any other text, both null for null.';
