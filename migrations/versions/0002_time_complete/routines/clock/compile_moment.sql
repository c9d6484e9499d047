-- schedule_type is a promise about the form, kept against what the text looks like: an instant under user_local_time
-- would otherwise fire at the right time for nobody.
create or replace function gnomon_data.compile_moment(request jsonb, out rule jsonb, out fault gnomon_data.fault)
language plpgsql stable parallel safe
as $$
declare
    given constant text := request->>'schedule_at';
    looks constant text := gnomon_data.form_of(given);
    form constant text := coalesce(request->>'schedule_type', looks);
    part record;
begin
    if given is null then
        fault := gnomon_data.field_fault('GN024', '/schedule_at', 'is required');
    elsif form is null then
        fault := gnomon_data.field_fault('GN024', '/schedule_at',
            'is neither an instant nor a duration nor a local time: ' || gnomon_data.quoted(given),
            'such as 2027-03-28T09:00:00Z, PT2H, "in 2 hours" or 09:00');
    elsif looks <> form then
        fault := gnomon_data.field_fault('GN024', '/schedule_type',
            format('%s contradicts schedule_at %s, which is of the form %s', form, gnomon_data.quoted(given), looks),
            'leave schedule_type out: the form of schedule_at decides');
    elsif form <> 'user_local_time' and request ? 'schedule_date' then
        fault := gnomon_data.field_fault('GN024', '/schedule_date',
            format('goes with a local time, schedule_at %s is none', gnomon_data.quoted(given)));
    elsif form = 'absolute_utc' then
        part := gnomon_data.read_instant(given, '/schedule_at');
        fault := part.fault;
        rule := jsonb_build_object('kind', 'instant', 'at', gnomon_data.instant_text(part.at_utc));
    elsif form = 'relative' then
        part := gnomon_data.read_duration(given, '/schedule_at');
        fault := part.fault;
        rule := jsonb_build_object('kind', 'relative', 'in', trim_scale(extract(epoch from part.duration)));
    else
        part := gnomon_data.read_local_time(given, '/schedule_at');
        fault := part.fault;
        rule := jsonb_build_object('kind', 'time', 'time', part.local_time::text);
        if fault.code is null and request ? 'schedule_date' then
            part := gnomon_data.read_date(request->>'schedule_date', '/schedule_date');
            fault := part.fault;
            rule := rule || jsonb_build_object('kind', 'once', 'date', to_char(part.on_date::timestamp, 'YYYY-MM-DD'));
        end if;
    end if;
end
$$;

comment on function gnomon_data.compile_moment(jsonb) is 'compile_rule for a request without a recurrence: instant, relative, time or once.';
