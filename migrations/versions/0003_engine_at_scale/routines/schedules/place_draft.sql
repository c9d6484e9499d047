-- The draft meets the clock and the tables: whose zone, which first instant, is it past, what expires. after_utc is now
-- for a new schedule; for a changed recurrence it also keeps what has fired from coming again.
create or replace function gnomon_data.place_draft(d gnomon_data.draft, now_utc timestamptz, after_utc timestamptz) returns gnomon_data.draft
language plpgsql stable
as $$
declare
    first record;
begin
    d.place_fault := null;
    if gnomon_data.has_readings(d.compiled) and d.time_zone is null then
        select z.time_zone, z.source into d.time_zone, d.time_zone_source from gnomon_data.zone_of_user(d.shard, d.user_id) as z;
        if d.time_zone is null then
            d.place_fault := gnomon_data.field_fault('GN026', '/timezone', 'is not given, and no time zone is known of this user',
                'give timezone, call gnomon.set_user, or set GNOMON_DEFAULT_TIME_ZONE');
            return d;
        end if;
    end if;
    select f.* into first from gnomon_data.first_occurrence(d.compiled, d.time_zone,
        case when d.is_recurring then after_utc else now_utc end, d.wanted_if_past) as f;
    d.place_fault := first.fault;
    if (d.place_fault).pointer = '/recurrence/end_date' and d.when_words #> '{recurrence,end_date}' is null then
        d.place_fault := gnomon_data.field_fault('GN012', '/recurrence/rrule', 'ends before now: the rule never fires');
    end if;
    if (d.place_fault).code is not null then
        return d;
    end if;
    d.rule := first.anchored;
    d.due_at_utc := first.due_at_utc;
    d.nominal_local := first.nominal_local;
    d.resolution := first.kind;
    d.if_past := first.if_past_taken;
    d.is_skipped := first.is_skipped;
    d.warnings := coalesce(d.warnings, gnomon_data.channel_warnings(coalesce(d.channels, gnomon_data.category_channels(d.category))));
    if d.is_skipped then
        return d;
    end if;
    d.fire_at_utc := case when d.window_for is null then d.due_at_utc else gnomon_data.spread(d.schedule_id, d.due_at_utc, d.window_for) end;
    if d.due_at_utc > now_utc + interval '10 years' then
        d.place_fault := gnomon_data.field_fault('GN024', '/schedule_at',
            format('lies more than 10 years ahead: %s', gnomon_data.rfc3339(d.due_at_utc)));
    elsif d.expires_at_utc <= now_utc then
        d.place_fault := gnomon_data.field_fault('GN024', '/expires_at', format('has passed: %s', gnomon_data.rfc3339(d.expires_at_utc)));
    elsif d.expires_at_utc <= d.due_at_utc then
        d.place_fault := gnomon_data.field_fault('GN024', '/expires_at',
            format('must be after the due instant %s', gnomon_data.rfc3339(d.due_at_utc)));
    end if;
    return d;
end
$$;

comment on function gnomon_data.place_draft(gnomon_data.draft, timestamptz, timestamptz) is
    'Gives a draft its time zone and its first occurrence after after_utc, or its place_fault.';
