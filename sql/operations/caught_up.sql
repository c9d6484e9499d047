-- For whoever changes a locked schedule: what a mass pause or resume made of it comes first, swept or not.
create or replace function gnomon_data.caught_up(s gnomon_data.schedules, now_utc timestamptz) returns gnomon_data.schedules
language plpgsql volatile
as $$
begin
    if s.id is not null and gnomon_data.has_pauses() and gnomon_data.catch_up(s.shard, array[s.id], now_utc) > 0 then
        select x.* into s from gnomon_data.schedules as x where x.shard = s.shard and x.id = s.id;
    end if;
    return s;
end
$$;

comment on function gnomon_data.caught_up(gnomon_data.schedules, timestamptz) is
    'A schedule that this transaction has locked, as it stands after the mass pauses and resumes in effect.';
