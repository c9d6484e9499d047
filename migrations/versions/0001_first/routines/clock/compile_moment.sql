-- schedule_type is a promise about the form, kept against what the text looks like: an instant under user_local_time
-- would otherwise fire at the right time for nobody.
create or replace function gnomon_data.compile_moment(request jsonb, out rule jsonb, out fault gnomon_data.fault)
language plpgsql stable parallel safe
as $$
declare
    given constant text := request->>'schedule_at';
    looks constant text := gnomon_data.form_of(given);
    form constant text := coalesce(request->>'schedule_type', looks);
    at_utc timestamptz;
    delay_for interval;
    local_time time;
    on_date date;
begin
    if given is null then
        fault := gnomon_data.field_fault('GN024', '/schedule_at', 'is required');
    elsif form is null then
        fault := gnomon_data.field_fault('GN024', '/schedule_at', format('is neither an instant nor a duration nor a local time: "%s"', left(given, 64)),
            'such as 2027-03-28T09:00:00Z, PT2H, "in 2 hours" or 09:00');
    elsif looks <> form then
        fault := gnomon_data.field_fault('GN024', '/schedule_type', format('%s contradicts schedule_at "%s", which is of the form %s', form, left(given, 64), looks),
            'leave schedule_type out: the form of schedule_at decides');
    elsif form <> 'user_local_time' and request ? 'schedule_date' then
        fault := gnomon_data.field_fault('GN024', '/schedule_date', format('goes with a local time, schedule_at "%s" is none', left(given, 64)));
    elsif form = 'absolute_utc' then
        select i.at_utc, i.fault into at_utc, fault from gnomon_data.read_instant(given, '/schedule_at') as i;
        rule := jsonb_build_object('kind', 'instant', 'at', to_char(at_utc at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'));
    elsif form = 'relative' then
        select d.duration, d.fault into delay_for, fault from gnomon_data.read_duration(given, '/schedule_at') as d;
        rule := jsonb_build_object('kind', 'relative', 'in', extract(epoch from delay_for));
    else
        select t.local_time, t.fault into local_time, fault from gnomon_data.read_local_time(given, '/schedule_at') as t;
        if (fault).code is null then
            select d.on_date, d.fault into on_date, fault from gnomon_data.read_date(request->>'schedule_date', '/schedule_date') as d;
        end if;
        rule := case when on_date is null then jsonb_build_object('kind', 'time', 'time', local_time::text)
                     else jsonb_build_object('kind', 'once', 'date', to_char(on_date, 'YYYY-MM-DD'), 'time', local_time::text) end;
    end if;
end
$$;

comment on function gnomon_data.compile_moment(jsonb) is 'compile_rule for a request without a recurrence: instant, relative, time or once.';
