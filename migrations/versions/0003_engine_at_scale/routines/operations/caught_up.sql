-- For whoever changes a locked schedule: what a mass pause, resume or reschedule made of it comes first, swept or not.
create or replace function gnomon_data.caught_up(s gnomon_data.schedules, now_utc timestamptz) returns gnomon_data.schedules
language plpgsql volatile
as $$
begin
    if s.id is null or not gnomon_data.has_pauses() then
        return s;
    elsif gnomon_data.has_changes() and gnomon_data.is_changing(s.user_id, s.template_id, s.labels, s.spared_by, 'infinity')
          and not gnomon_data.is_doomed(s.user_id, s.template_id, s.labels, s.spared_by) then
        perform gnomon_data.note_refusals(array[gnomon_data.change_in_turn(s.shard, s.id, now_utc, true)]);
    else
        perform gnomon_data.catch_up(s.shard, array[s.id], now_utc);
    end if;
    select x.* into s from gnomon_data.schedules as x where x.shard = s.shard and x.id = s.id;
    return s;
end
$$;

comment on function gnomon_data.caught_up(gnomon_data.schedules, timestamptz) is
    'A schedule that this transaction has locked, with its key, as it stands after the mass pauses, resumes and reschedules in effect.';
