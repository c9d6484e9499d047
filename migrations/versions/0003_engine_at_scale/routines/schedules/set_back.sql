create or replace function gnomon_data.set_back(
    s gnomon_data.schedules, now_utc timestamptz, as_of_utc timestamptz default null) returns gnomon_data.schedules
language plpgsql volatile
as $$
declare
    taken_back record;
begin
    if not s.is_recurring then
        return s;
    end if;
    select w.* into taken_back from gnomon_data.withdraw_undue(s.shard, s.id, now_utc, as_of_utc, s.fired_count) as w;
    if taken_back.is_withdrawn then
        s.due_at_utc := taken_back.scheduled_at_utc;
        s.fire_at_utc := taken_back.due_at_utc;
        s.nominal_local := taken_back.nominal_local;
        s.resolution := (gnomon_data.next_occurrence(s.rule, s.time_zone, s.due_at_utc - interval '1 us')).kind;
        s.fired_count := s.fired_count - 1;
        s.last_due_at_utc := s.prior_due_at_utc;
        s.prior_due_at_utc := null;
    end if;
    return s;
end
$$;

comment on function gnomon_data.set_back(gnomon_data.schedules, timestamptz, timestamptz) is
    'A recurrence as it was before it was fired ahead, when that occurrence is not due, now or at as_of_utc, and not handed over. Writes nothing to schedules.';
