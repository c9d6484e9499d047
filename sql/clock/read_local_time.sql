-- Two digits each and nothing else: PostgreSQL's own parser takes 24:00, 0900, 9am, allballs, 09:00+02:00 and second 60.
create or replace function gnomon_data.read_local_time(
    given text, pointer text, out local_time time, out fault gnomon_data.fault)
language plpgsql immutable parallel safe
as $$
begin
    if given is null then
        return;
    elsif given ~ '^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?$' then
        local_time := given::time;
    else
        fault := gnomon_data.field_fault('GN013', pointer,
            'must be a local time HH:MM or HH:MM:SS, not ' || gnomon_data.quoted(given),
            case when given ~ '^24:' then 'the end of a day is 00:00 of the next day'
                 when given ~ '^[0-9]:' then 'two digits each: 0' || left(given, 64)
                 when given ~ '^[0-9]{2}:[0-9]{2}:[0-9]{2}[.]' then 'whole seconds'
                 else 'such as 09:00 or 18:05:30' end);
    end if;
end
$$;

comment on function gnomon_data.read_local_time(text, text) is 'Reads HH:MM or HH:MM:SS, 00:00 to 23:59:59; GN013 for any other text, both null for null.';
