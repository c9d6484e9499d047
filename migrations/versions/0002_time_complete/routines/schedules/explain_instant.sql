-- Which day's rules applied, shown and not only said: the offset in force, and the change of the clock if one is within a day.
create or replace function gnomon_data.explain_instant(rule jsonb, time_zone text, due_at_utc timestamptz, nominal_local timestamp, kind text)
returns jsonb
language plpgsql stable
as $$
declare
    a_day constant interval := interval '24 hours';
    -- Before the offset of the rule: the instant that the reading became.
    read_at_utc constant timestamptz := due_at_utc - make_interval(secs => coalesce((rule -> 'offset')::float8, 0));
    in_force constant int := gnomon_data.zone_offset(time_zone, read_at_utc);
    told jsonb := jsonb_build_object('due_at', gnomon_data.rfc3339(due_at_utc));
    change_utc timestamptz;
    before int;
    behind int;
    words text;
begin
    if time_zone is null or due_at_utc is null then
        return told;
    end if;
    words := format('At that time %s is at %s.', time_zone, gnomon_data.offset_text(in_force));
    if not gnomon_data.is_still(time_zone, read_at_utc - a_day, read_at_utc + a_day) then
        change_utc := gnomon_data.next_change(time_zone, read_at_utc - a_day, read_at_utc + a_day);
        before := gnomon_data.zone_offset(time_zone, change_utc - interval '1 s');
        behind := gnomon_data.zone_offset(time_zone, change_utc);
        words := format('The clock in %s goes from %s to %s at %s, from %s to %s; at the due instant %s is in force.', time_zone,
            gnomon_data.local_text(change_utc at time zone 'UTC' + make_interval(secs => before)),
            gnomon_data.local_text(change_utc at time zone time_zone), gnomon_data.rfc3339(change_utc),
            gnomon_data.offset_text(before), gnomon_data.offset_text(behind), gnomon_data.offset_text(in_force));
        told := told || jsonb_build_object('change', jsonb_build_object('at', gnomon_data.rfc3339(change_utc),
            'offset_before', gnomon_data.offset_text(before), 'offset_after', gnomon_data.offset_text(behind)));
    end if;
    words := case kind
        when 'gap' then format('%s does not exist there that day, the clock skips it: the first reading after it counts, %s. ',
            gnomon_data.time_text(nominal_local::time), gnomon_data.time_text((read_at_utc at time zone time_zone)::time))
        when 'overlap' then format('%s comes twice there that day: the %s counts. ', gnomon_data.time_text(nominal_local::time),
            coalesce(rule ->> 'overlap', 'first'))
        else '' end || words;
    return told || jsonb_build_object('reading', gnomon_data.local_text(nominal_local), 'offset_in_force', gnomon_data.offset_text(in_force),
        'local_time', gnomon_data.local_text(due_at_utc at time zone time_zone), 'kind', kind, 'why', words);
end
$$;

comment on function gnomon_data.explain_instant(jsonb, text, timestamptz, timestamp, text) is
    'One occurrence explained: reading, offset in force, change of the clock within a day, gap or overlap and what was decided.';
