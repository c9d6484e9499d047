-- UNTIL names the last occurrence, itself included. As a date or a local time it is a last date; with Z it is an instant,
-- and which date that is depends on the zone.
create or replace function gnomon_data.rrule_end(until text, at_time time, out rule jsonb, out fault gnomon_data.fault)
language plpgsql stable parallel safe
as $$
declare
    day constant text := regexp_replace(until, '^(....)(..)(..).*$', '\1-\2-\3');
    clock constant text := regexp_replace(until, '^.*T(..)(..)(..)Z?$', '\1:\2:\3');
    part record;
begin
    rule := '{}';
    if until is null then
        return;
    end if;
    part := gnomon_data.read_date(day, '/recurrence/rrule');
    if (part.fault).code is not null then
        fault := gnomon_data.field_fault('GN015', '/recurrence/rrule', 'has UNTIL=' || until || ', a date that does not exist');
    elsif until ~ 'Z$' then
        rule := jsonb_build_object('until', day || 'T' || clock || 'Z');
    else
        rule := jsonb_build_object('end',
            to_char((part.on_date - case when until ~ 'T' and at_time > clock::time then 1 else 0 end)::timestamp, 'YYYY-MM-DD'));
    end if;
end
$$;

comment on function gnomon_data.rrule_end(text, time) is 'UNTIL of an RRULE as end or until of a compiled rule.';
