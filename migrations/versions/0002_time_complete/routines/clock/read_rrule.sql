-- Splits the text, nothing more: which part stands where, and whether its value looks right. Case does not matter, as RFC
-- 5545 has it; a leading RRULE: is what people paste.
create or replace function gnomon_data.read_rrule(given text, out parts jsonb, out fault gnomon_data.fault)
language plpgsql stable parallel safe
as $$
declare
    bare constant text := regexp_replace(given, '^RRULE:', '', 'i');
    place int := 1 + length(given) - length(bare);
    item text;
    name text;
    value text;
    known record;
    says text;
    hint text;
begin
    parts := '{}';
    if given is null then
        fault := gnomon_data.field_fault('GN024', '/recurrence/rrule', 'is required', 'such as FREQ=MONTHLY;BYDAY=2TU');
        return;
    elsif length(given) > 1000 or bare = '' then
        fault := gnomon_data.field_fault('GN015', '/recurrence/rrule', 'must have 1 to 1000 characters, not ' || length(bare), 'such as FREQ=MONTHLY;BYDAY=2TU');
        return;
    end if;
    foreach item in array string_to_array(bare, ';') loop
        name := upper(substring(item from '^([A-Za-z]+)='));
        value := upper(substring(item from '=(.*)$'));
        select r.* into known from gnomon_data.rrule_parts() as r where r.part = name;
        if name is null then
            says := 'must be NAME=VALUE';
            hint := 'parts stand between semicolons, without blanks: FREQ=MONTHLY;BYDAY=2TU';
        elsif known.part is null then
            says := 'is no part of an RRULE';
            select 'parts: ' || string_agg(r.part, ', ') into hint from gnomon_data.rrule_parts() as r where r.shape is not null;
        elsif known.shape is null then
            says := 'is not taken';
            hint := known.says;
        elsif parts ? name then
            says := 'is given twice';
        elsif value !~ format(case when known.is_list then '^(%s)(,(%1$s))*$' else '^(%s)$' end, known.shape) then
            says := 'must be ' || known.says;
        end if;
        if says is not null then
            fault := gnomon_data.field_fault('GN015', '/recurrence/rrule', format('at position %s: %s %s', place, gnomon_data.quoted(item), says), hint);
            parts := null;
            return;
        end if;
        parts := parts || jsonb_build_object(name, value);
        place := place + length(item) + 1;
    end loop;
end
$$;

comment on function gnomon_data.read_rrule(text) is
    'Splits an RRULE into its parts, names and values in capitals; GN015 names the part and its position.';
