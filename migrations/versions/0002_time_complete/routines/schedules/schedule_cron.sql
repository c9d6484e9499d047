create or replace function gnomon.schedule_cron(
    user_id text, template_id text, cron_expr text, time_zone text default null, options jsonb default '{}')
returns gnomon.scheduled
language plpgsql volatile security definer set search_path = ''
as $$
begin
    -- Said here, for there would be no pattern to point at without it: null means absent.
    if cron_expr is null then
        perform gnomon_data.fail('GN024', 'cron_expr is required', 'such as "0 9 * * 1"', '/recurrence/cron_expr');
    elsif jsonb_typeof(options -> 'recurrence') not in ('object', 'null') then
        perform gnomon_data.fail('GN024', 'options.recurrence must be a JSON object', pointer => '/recurrence');
    elsif jsonb_typeof(options -> 'recurrence') = 'object' and options -> 'recurrence' ?| array['pattern', 'cron_expr'] then
        perform gnomon_data.fail('GN024', 'options.recurrence has pattern and cron_expr from the function',
            'what may stand there: start_date, end_date, end_after, exclusions', '/recurrence');
    end if;
    return gnomon.schedule(gnomon_data.with_options(
        case jsonb_typeof(options) when 'object' then options - 'recurrence' else options end,
        jsonb_build_object('user_id', user_id, 'template_id', template_id,
        'timezone', time_zone, 'recurrence', coalesce(nullif(options -> 'recurrence', 'null'), '{}')
            || jsonb_build_object('pattern', 'cron', 'cron_expr', cron_expr))));
end
$$;

comment on function gnomon.schedule_cron(text, text, text, text, jsonb) is
    'Schedules by a cron text of five fields in the zone given or else the user''s. options: any request field without an argument of its own; its recurrence may hold start_date, end_date, end_after and exclusions.';
revoke all on function gnomon.schedule_cron(text, text, text, text, jsonb) from public;
grant execute on function gnomon.schedule_cron(text, text, text, text, jsonb) to gnomon_caller;
