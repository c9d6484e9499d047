-- on_date becomes text as a timestamp: as a date it would go by way of the session's zone, where that day may not exist.
create or replace function gnomon.schedule_local(
    user_id text, template_id text, local_time time, on_date date default null, time_zone text default null, options jsonb default '{}')
returns gnomon.scheduled
language plpgsql volatile security definer set search_path = ''
as $$
begin
    if local_time = time '24:00' or date_trunc('second', local_time::interval) <> local_time::interval then
        perform gnomon_data.fail('GN013', format('local_time must be whole seconds before 24:00, not %s', local_time),
            'midnight is 00:00 of the next day', '/schedule_at');
    elsif not isfinite(on_date) or on_date < date '0001-01-01' then
        perform gnomon_data.fail('GN014', 'on_date must be a date of our era and not infinity', pointer => '/schedule_date');
    end if;
    return gnomon.schedule(gnomon_data.with_options(options, jsonb_build_object('user_id', user_id, 'template_id', template_id,
        'schedule_type', 'user_local_time', 'schedule_at', to_char(local_time, 'HH24:MI:SS'),
        'schedule_date', to_char(on_date::timestamp, 'YYYY-MM-DD'), 'timezone', time_zone)));
end
$$;

comment on function gnomon.schedule_local(text, text, time, date, text, jsonb) is
    'Schedules at a local time, on a date or the next time it comes, in the zone given or else the user''s. options: any request field without an argument of its own, recurrence among them.';
revoke all on function gnomon.schedule_local(text, text, time, date, text, jsonb) from public;
grant execute on function gnomon.schedule_local(text, text, time, date, text, jsonb) to gnomon_caller;
