-- Arguments become the fields of a request, and the request decides: one way in. What PostgreSQL itself has read already
-- (infinity, months in an interval, 24:00) is refused here, since the text form of it would say something else.
create or replace function gnomon.schedule_at(user_id text, template_id text, fire_at timestamptz, options jsonb default '{}')
returns gnomon.scheduled
language plpgsql volatile security definer set search_path = ''
as $$
begin
    if not isfinite(fire_at) then
        perform gnomon_data.fail('GN024', 'fire_at must not be infinity', pointer => '/schedule_at');
    end if;
    return gnomon.schedule(gnomon_data.with_options(options, jsonb_build_object('user_id', user_id, 'template_id', template_id,
        'schedule_type', 'absolute_utc', 'schedule_at', gnomon_data.rfc3339(fire_at))));
end
$$;

comment on function gnomon.schedule_at(text, text, timestamptz, jsonb) is
    'Schedules at an instant. options: any request field without an argument of its own.';
revoke all on function gnomon.schedule_at(text, text, timestamptz, jsonb) from public;
grant execute on function gnomon.schedule_at(text, text, timestamptz, jsonb) to gnomon_caller;
