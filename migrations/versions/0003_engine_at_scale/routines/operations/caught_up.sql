-- For whoever changes a locked schedule: what a mass pause, resume or reschedule made of it comes first, swept or not. A
-- reschedule that commits between the question and catch_up, which leaves out what one means, is asked for again.
create or replace function gnomon_data.caught_up(s gnomon_data.schedules, now_utc timestamptz) returns gnomon_data.schedules
language plpgsql volatile
as $$
begin
    if s.id is null or not gnomon_data.has_pauses()
       or gnomon_data.is_doomed(s.user_id, s.template_id, s.labels, s.spared_by) then
        return s;
    end if;
    if not gnomon_data.is_changing(s.user_id, s.template_id, s.labels, s.spared_by, 'infinity') then
        perform gnomon_data.catch_up(s.shard, array[s.id], now_utc);
        select x.* into s from gnomon_data.schedules as x where x.shard = s.shard and x.id = s.id;
    end if;
    if gnomon_data.is_changing(s.user_id, s.template_id, s.labels, s.spared_by, 'infinity') then
        perform gnomon_data.note_refusals(array[gnomon_data.change_in_turn(s.shard, s.id, now_utc, true)]);
        select x.* into s from gnomon_data.schedules as x where x.shard = s.shard and x.id = s.id;
    end if;
    return s;
end
$$;

comment on function gnomon_data.caught_up(gnomon_data.schedules, timestamptz) is
    'A schedule that this transaction has locked, with its key, as it stands after the mass pauses, resumes and reschedules in effect.';
