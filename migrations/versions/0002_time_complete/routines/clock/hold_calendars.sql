-- In the order of the names, and looked up again: between the reading of the request and now one may have been deleted.
create or replace function gnomon_data.hold_calendars(rule jsonb) returns gnomon_data.fault
language plpgsql volatile
as $$
begin
    if not rule ? 'calendars' then
        return null;
    end if;
    for n in 0..jsonb_array_length(rule->'calendars') - 1 loop
        perform gnomon_data.lock_calendar(rule->'calendars'->>n, true);
    end loop;
    return (gnomon_data.read_calendars(rule->'calendars', '/recurrence/exclude_calendars')).fault;
end
$$;

comment on function gnomon_data.hold_calendars(jsonb) is
    'Keeps the calendars of a compiled rule as they are until the end of the transaction; the fault when one of them is gone.';
