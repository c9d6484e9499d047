create or replace function gnomon.schedule_in(user_id text, template_id text, delay_for interval, options jsonb default '{}')
returns gnomon.scheduled
language plpgsql volatile security definer set search_path = ''
as $$
begin
    if not isfinite(delay_for) or extract(year from delay_for) <> 0 or extract(month from delay_for) <> 0 then
        perform gnomon_data.fail('GN024', 'delay_for must not have months and must not be infinity',
            'months and years have no fixed length: give weeks or days, or an instant', '/schedule_at');
    end if;
    return gnomon.schedule(gnomon_data.with_options(options, jsonb_build_object('user_id', user_id, 'template_id', template_id,
        'schedule_type', 'relative', 'schedule_at', gnomon_data.duration_text(delay_for))));
end
$$;

comment on function gnomon.schedule_in(text, text, interval, jsonb) is
    'Schedules after a delay from now; a day is 24 hours. options: any request field without an argument of its own.';
revoke all on function gnomon.schedule_in(text, text, interval, jsonb) from public;
grant execute on function gnomon.schedule_in(text, text, interval, jsonb) to gnomon_caller;
