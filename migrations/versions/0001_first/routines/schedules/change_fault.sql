-- Asked before anything is written: in a batch a refused change must leave the schedule as it was.
create or replace function gnomon_data.change_fault(old gnomon_data.schedules, placed gnomon_data.draft, moves boolean, now_utc timestamptz)
returns gnomon_data.fault
language plpgsql stable
as $$
begin
    if moves and (placed.place_fault).code is not null then
        return placed.place_fault;
    elsif moves and placed.is_skipped then
        return gnomon_data.field_fault('GN023', '/schedule_at', 'leaves nothing to fire', 'cancel the schedule instead');
    elsif not moves and placed.expires_at_utc is distinct from old.expires_at_utc
          and placed.expires_at_utc <= greatest(now_utc, old.due_at_utc) then
        return gnomon_data.field_fault('GN024', '/expires_at', format('must be after now and after the due instant %s', gnomon_data.rfc3339(old.due_at_utc)));
    elsif (placed.compiled ->> 'end_after')::int <= old.fired_count then
        return gnomon_data.field_fault('GN012', '/recurrence/end_after', format('has been reached: it has fired %s times', old.fired_count));
    end if;
    return null;
end
$$;

comment on function gnomon_data.change_fault(gnomon_data.schedules, gnomon_data.draft, boolean, timestamptz) is
    'Why a live schedule cannot be changed so, null when it can. moves: the change touches what decides instants.';
