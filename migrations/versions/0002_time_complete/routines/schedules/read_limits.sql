create or replace function gnomon_data.read_limits(d gnomon_data.draft, n jsonb) returns gnomon_data.draft
language plpgsql stable
as $$
begin
    select r.duration, r.fault into d.window_for, d.fault from gnomon_data.read_duration(n ->> 'window', '/window') as r;
    if (d.fault).code is null and d.window_for > interval '24 hours' then
        d.fault := gnomon_data.field_fault('GN024', '/window', 'must not be longer than 24 hours');
    end if;
    if (d.fault).code is null then
        select r.at_utc, r.fault into d.expires_at_utc, d.fault from gnomon_data.read_instant(n ->> 'expires_at', '/expires_at') as r;
    end if;
    if (d.fault).code is null then
        select r.duration, r.fault into d.expires_for, d.fault from gnomon_data.read_duration(n ->> 'expires_in', '/expires_in') as r;
    end if;
    if (d.fault).code is not null then
        return d;
    end if;
    d.window_for := nullif(d.window_for, interval '0');
    if n ? 'expires_at' and n ? 'expires_in' then
        d.fault := gnomon_data.field_fault('GN024', '/expires_in', 'and expires_at are both given', 'give one of them');
    elsif n ? 'expires_at' and d.is_recurring then
        d.fault := gnomon_data.field_fault('GN024', '/expires_at', 'cannot stand with a recurrence', 'expires_in counts from each occurrence');
    elsif d.window_for >= d.expires_for then
        d.fault := gnomon_data.field_fault('GN024', '/expires_in', 'must be longer than window: what the spread puts later would expire before it fires');
    elsif d.expires_for = interval '0' then
        d.fault := gnomon_data.field_fault('GN024', '/expires_in', 'must be longer than nothing');
    end if;
    return d;
end
$$;

comment on function gnomon_data.read_limits(gnomon_data.draft, jsonb) is 'window, expires_at and expires_in read into a draft.';
