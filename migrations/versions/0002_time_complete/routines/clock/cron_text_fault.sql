create or replace function gnomon_data.cron_text_fault(given text, bare text, fields text[], pointer text) returns gnomon_data.fault
language plpgsql immutable parallel safe
as $$
declare
    five constant text := 'minute, hour, day of month, month, day of week, such as "0 9 * * 1"';
    count constant int := cardinality(fields);
begin
    return case
        when length(given) > 1000
            then gnomon_data.field_fault('GN011', pointer, format('has %s characters, at most 1000 are read', length(given)))
        when bare = ''
            then gnomon_data.field_fault('GN011', pointer, 'is empty, expected five fields', five)
        when given ~ '[\x01-\x08\x0a-\x1f\x7f]'
            then gnomon_data.field_fault('GN011', pointer, format('has a line break or control character at character %s, expected one line',
                length(substring(given from '^[^\x01-\x08\x0a-\x1f\x7f]*')) + 1), 'one cron text a schedule')
        when bare ~* '^(CRON_)?TZ='
            then gnomon_data.field_fault('GN011', pointer, 'names a zone at character 1, expected the minute', 'use timezone')
        when left(bare, 1) = '@'
            then gnomon_data.field_fault('GN011', pointer, 'has an unknown macro at character 1: ' || gnomon_data.quoted(bare),
                case when bare ~* '^@reboot' then 'nothing boots here: schedule_at with an instant or "in 5 minutes" fires once'
                     when bare ~* '^@every' then 'use pattern elapsed with every, such as PT15M'
                     else 'known: @hourly, @daily, @midnight, @weekly, @monthly, @yearly, @annually' end)
        when count = 6
            then gnomon_data.field_fault('GN011', pointer, 'has six fields, expected five',
                case when fields[6] ~ '^[0-9]{4}' then 'years are not supported: use start_date and end_date'
                     else 'seconds are not supported: leave the first field out' end)
        when count = 7
            then gnomon_data.field_fault('GN011', pointer, 'has seven fields, expected five',
                'seconds and years are not supported: leave the first and the last field out')
        when count <> 5
            then gnomon_data.field_fault('GN011', pointer, format('has %s %s, expected five', count,
                case count when 1 then 'field' else 'fields' end), five)
    end;
end
$$;

comment on function gnomon_data.cron_text_fault(text, text, text[], text) is
    'GN011 for a text that is not one line of five fields: which part of it, at which character, and what to write.';
