create or replace function gnomon_data.setting_fault(name text, value text) returns gnomon_data.fault
language plpgsql stable
as $$
declare
    known constant text[] := array['default_time_zone', 'default_channels', 'has_webhook', 'notify', 'fire_ahead'];
    fault gnomon_data.fault;
    read record;
begin
    if name is null or name <> all (known) then
        return row('GN024', format('no setting is called %L', name), 'known: ' || array_to_string(known, ', '), '/name')::gnomon_data.fault;
    elsif value is null then
        return null;
    elsif name = 'default_time_zone' then
        fault := gnomon_data.zone_fault(value);
    elsif name = 'default_channels' then
        read := gnomon_data.read_channels(to_jsonb(string_to_array(replace(value, ' ', ''), ',')));
        fault := read.fault;
    elsif name = 'has_webhook' and value not in ('true', 'false') or name = 'notify' and value not in ('on', 'off') then
        fault := row('GN024', format('%s cannot be %L', name, value), case name when 'notify' then 'on or off' else 'true or false' end, null);
    elsif name = 'fire_ahead' then
        read := gnomon_data.read_duration(value, '/value');
        fault := read.fault;
        if (fault).code is null and read.duration > interval '10 s' then
            fault := row('GN024', format('fire_ahead cannot be %L', value), 'PT0S to PT10S', null);
        end if;
    end if;
    if (fault).code is not null then
        fault.pointer := '/value';
        fault.message := format('%s: %s', name, fault.message);
    end if;
    return fault;
end
$$;

comment on function gnomon_data.setting_fault(text, text) is 'What is wrong with a setting, null when nothing is.';
