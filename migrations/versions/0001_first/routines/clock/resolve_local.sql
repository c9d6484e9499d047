-- The values come typed, so that PostgreSQL has read them already: what its types take beyond a request (24:00, fractions,
-- infinity, years BC) is refused here.
create or replace function gnomon.resolve_local(
    on_date date, local_time time, time_zone text, on_gap text default 'next_valid', on_overlap text default 'first',
    out at_utc timestamptz, out kind text)
language plpgsql stable security definer set search_path = ''
as $$
declare
    fault gnomon_data.fault;
    found record;
begin
    fault := case
        when on_date is null or on_date not between date '0001-01-01' and date '9999-12-31'
            then gnomon_data.field_fault('GN014', '/on_date', 'must be a date of the years 1 to 9999')
        when local_time is null or local_time = time '24:00' or local_time <> local_time::time(0)
            then gnomon_data.field_fault('GN013', '/local_time', 'must be from 00:00 to 23:59:59, in whole seconds',
                'the end of a day is 00:00 of the next day')
        when on_gap is null or on_gap not in ('next_valid', 'skip')
            then gnomon_data.field_fault('GN024', '/on_gap', 'must be next_valid or skip, not ' || gnomon_data.quoted(on_gap))
        when on_overlap is null or on_overlap not in ('first', 'second')
            then gnomon_data.field_fault('GN024', '/on_overlap', 'must be first or second, not ' || gnomon_data.quoted(on_overlap))
        else gnomon_data.zone_fault(time_zone)
    end;
    if fault.code is not null then
        perform gnomon_data.raise_fault(fault);
    end if;
    found := gnomon_data.instant_of(on_date + local_time, time_zone, on_gap, on_overlap);
    at_utc := found.at_utc;
    kind := found.kind;
end
$$;

comment on function gnomon.resolve_local(date, time, text, text, text) is
    'The instant at which the zone''s clock first reads this date and time or later; kind exact, gap or overlap. on_gap skip: null in a gap; on_overlap second: the second pass. GN010, GN013, GN014, GN024.';
revoke all on function gnomon.resolve_local(date, time, text, text, text) from public;
grant execute on function gnomon.resolve_local(date, time, text, text, text) to gnomon_caller, gnomon_reader;
