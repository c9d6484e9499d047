create or replace function gnomon_data.cron_readings_until(rule jsonb, reading time) returns int
language plpgsql immutable parallel safe
as $$
declare
    minutes constant text := rule->>'minutes';
    hours constant text := rule->>'hours';
    hour constant int := extract(hour from reading);
begin
    return length(replace(left(hours, hour), '0', '')) * length(replace(minutes, '0', ''))
         + case when substr(hours, hour + 1, 1) = '1' then length(replace(left(minutes, extract(minute from reading)::int + 1), '0', '')) else 0 end;
end
$$;

comment on function gnomon_data.cron_readings_until(jsonb, time) is
    'How many readings of a compiled cron rule a day that it has shows up to a local time, that one included.';
