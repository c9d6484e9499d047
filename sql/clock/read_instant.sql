-- The regular expression comes before the cast: PostgreSQL's own parser takes infinity, now, epoch, tomorrow, dates in
-- any order, abbreviations for zones, a missing zone (the session's) and second 60.
create or replace function gnomon_data.read_instant(
    given text, pointer text, out at_utc timestamptz, out fault gnomon_data.fault)
language plpgsql stable parallel safe
as $$
declare
    day constant text := '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])';
    clock constant text := '[Tt ]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]{1,9})?';
    zone constant text := '([Zz]|[+-](0[0-9]|1[0-5]):[0-5][0-9])$';
begin
    if given is null then
        return;
    elsif given ~ (day || clock || zone) then
        if pg_input_is_valid(given, 'timestamptz') then
            at_utc := given::timestamptz;
            if at_utc between timestamptz '0001-01-01 00:00+00' and timestamptz '9999-12-31 23:59:59.999999+00' then
                return;
            end if;
            at_utc := null;
        end if;
        fault := gnomon_data.field_fault('GN014', pointer, 'names a date that does not exist: ' || gnomon_data.quoted(given));
    elsif given ~ (day || clock || '$') then
        fault := gnomon_data.field_fault('GN024', pointer, format('must be an instant with its zone, "%s" has none', given),
            format('append Z or an offset: %sZ; for a local time give HH:MM and schedule_date', given));
    elsif given ~ (day || '[Tt ][0-9]{2}:[0-9]{2}:60') then
        fault := gnomon_data.field_fault('GN024', pointer, 'names a leap second, which no clock here has: ' || gnomon_data.quoted(given),
            'use second 59 or the next minute');
    else
        fault := gnomon_data.field_fault('GN024', pointer,
            'must be an instant by RFC 3339 with its zone, not ' || gnomon_data.quoted(given),
            'such as 2027-03-28T09:00:00Z or 2027-03-28T11:00:00+02:00');
    end if;
end
$$;

comment on function gnomon_data.read_instant(text, text) is
    'Reads an RFC 3339 instant with its zone; GN024 for any other text, GN014 for a date that does not exist, both null for null.';
