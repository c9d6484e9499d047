-- In a subtransaction only where asked for: each writes, so a piece of them would have more than a snapshot keeps.
create or replace function gnomon_data.change_of_many(
    s gnomon_data.schedules, merge jsonb, now_utc timestamptz, as_of_utc timestamptz, is_careful boolean) returns gnomon_data.fault
language plpgsql volatile
as $$
declare
    fault gnomon_data.fault;
    constraint_hit text;
begin
    if not s.is_recurring and s.fire_at_utc <= as_of_utc and s.paused_at_utc is null then
        return row('GN029', 'the notification is on its way and cannot be changed', null, null)::gnomon_data.fault;
    elsif not is_careful then
        return (gnomon_data.apply_change(s, merge, now_utc, as_of_utc)).fault;
    end if;
    begin
        return (gnomon_data.apply_change(s, merge, now_utc, as_of_utc)).fault;
    exception when others then
        get stacked diagnostics fault.code = returned_sqlstate, fault.message = message_text, fault.pointer = column_name,
            constraint_hit = constraint_name;
        if not gnomon_data.is_poison(fault.code, constraint_hit) then
            raise;
        end if;
        return fault;
    end;
end
$$;

comment on function gnomon_data.change_of_many(gnomon_data.schedules, jsonb, timestamptz, timestamptz, boolean) is
    'Applies a mass reschedule to one schedule, locked with its key, as of the instant of the call; why it was refused, or null.';
