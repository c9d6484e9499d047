-- What RFC 5545 forbids between parts, and what of the rest does not map.
create or replace function gnomon_data.rrule_fault(given text, parts jsonb, words jsonb) returns gnomon_data.fault
language plpgsql stable parallel safe
as $$
declare
    freq constant text := parts->>'FREQ';
    counted_days constant int[] := array(select abs(d[1]::int) from regexp_matches(parts->>'BYDAY', '([0-9]+)', 'g') as d);
    part text;
    says text;
    hint text;
begin
    if freq is null then
        return gnomon_data.field_fault('GN015', '/recurrence/rrule', 'has no FREQ', 'such as FREQ=MONTHLY;BYDAY=2TU');
    elsif parts ?& array['COUNT', 'UNTIL'] then
        part := 'COUNT';
        says := 'cannot stand with UNTIL';
        hint := 'give one of them';
    elsif words ? 'end_date' and parts ?| array['COUNT', 'UNTIL'] then
        part := case when parts ? 'COUNT' then 'COUNT' else 'UNTIL' end;
        says := 'cannot stand with end_date';
        hint := 'give one of them';
    elsif cardinality(counted_days) > 0 and freq in ('DAILY', 'WEEKLY') then
        part := 'BYDAY';
        says := 'has a number, which goes with FREQ=MONTHLY or YEARLY';
        hint := 'leave the number out';
    elsif 5 < any (counted_days) and (freq = 'MONTHLY' or parts ? 'BYMONTH') then
        part := 'BYDAY';
        says := 'has a number beyond 5, and no month has so many of a weekday';
        hint := 'FREQ=YEARLY without BYMONTH counts within the year';
    elsif cardinality(counted_days) > 0 and freq = 'YEARLY' and parts ? 'BYMONTHDAY' and not parts ? 'BYMONTH' then
        part := 'BYDAY';
        says := 'has a number, which together with BYMONTHDAY wants BYMONTH';
    elsif freq = 'WEEKLY' and parts ? 'BYMONTHDAY' then
        part := 'BYMONTHDAY';
        says := 'does not go with FREQ=WEEKLY';
        hint := 'FREQ=DAILY or MONTHLY takes it';
    elsif parts ? 'BYSETPOS' and not parts ?| array['BYDAY', 'BYMONTHDAY', 'BYMONTH'] then
        part := 'BYSETPOS';
        says := 'wants another part to choose from';
        hint := 'such as BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1';
    elsif parts ? 'BYSETPOS' and freq = 'DAILY' and parts->>'BYSETPOS' !~ '^[+-]?0*1$' then
        part := 'BYSETPOS';
        says := 'goes no further than 1 or -1 with FREQ=DAILY: a day has one occurrence';
    elsif parts ? 'BYSETPOS' and freq = 'WEEKLY' and (parts ? 'BYMONTH' or not parts ? 'BYDAY') then
        part := 'BYSETPOS';
        says := 'goes with BYDAY and without BYMONTH when FREQ=WEEKLY';
    end if;
    return case when part is not null then gnomon_data.field_fault('GN015', '/recurrence/rrule',
        format('at position %s: %s %s', strpos(';' || upper(regexp_replace(given, '^RRULE:', ';', 'i')), ';' || part || '=')
               + case when given ~* '^RRULE:' then 5 else 0 end, part, says), hint) end;
end
$$;

comment on function gnomon_data.rrule_fault(text, jsonb, jsonb) is 'What is wrong between the parts of an RRULE that are right by themselves; GN015 names the part and its position.';
