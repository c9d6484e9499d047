-- Every error of a request names the field and says what was expected of it; the hint suggests what to write.
create or replace function gnomon_data.field_fault(code text, pointer text, says text, hint text default null)
returns gnomon_data.fault
language sql immutable parallel safe
as $$
    select row(code, coalesce(nullif(replace(ltrim(pointer, '/'), '/', '.'), ''), 'the request') || ' ' || says,
               hint, pointer)::gnomon_data.fault
$$;

comment on function gnomon_data.field_fault(text, text, text, text) is
    'A fault whose message begins with the name of the field: /recurrence/pattern reads recurrence.pattern.';
