create or replace function gnomon_data.replace_row(old gnomon_data.schedules, new_row gnomon_data.schedules, now_utc timestamptz) returns void
language plpgsql volatile
as $$
declare
    live gnomon_data.schedules;
begin
    delete from gnomon_data.schedules as s where s.shard = old.shard and s.id = old.id returning s.* into live;
    insert into gnomon_data.schedules values (new_row.*);
    if new_row.stamp <> live.stamp then
        perform gnomon_data.drop_timer(live.shard, live.lane, live.fire_at_utc, live.id, live.stamp);
        perform gnomon_data.set_timer(new_row, now_utc);
    end if;
end
$$;

comment on function gnomon_data.replace_row(gnomon_data.schedules, gnomon_data.schedules, timestamptz) is
    'Puts a schedule row in the place of a locked one; a new stamp gets a new timer, unless it is paused, and the old one is dropped.';
