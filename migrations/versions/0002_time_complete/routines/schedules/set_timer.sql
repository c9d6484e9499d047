-- The one timer of a schedule's pending occurrence. Paused means that there is none: whatever fires finds schedules by their
-- timers, so it need not know the word. Whoever takes the pause off puts the timer back, at once when its instant is over.
create or replace function gnomon_data.set_timer(s gnomon_data.schedules, now_utc timestamptz) returns void
language plpgsql volatile
as $$
begin
    if s.paused_at_utc is null then
        perform gnomon_data.put_timers(array[row(s.fire_at_utc, s.fire_at_utc, s.stamp, s.id, s.shard, s.lane,
            case when s.is_recurring then 2 else 1 end)::gnomon_data.timers], now_utc);
        perform gnomon_data.hint_due(s.fire_at_utc, now_utc);
    end if;
end
$$;

comment on function gnomon_data.set_timer(gnomon_data.schedules, timestamptz) is
    'Sets the timer of a schedule with a new stamp, unless it is paused. now_utc was read after the transaction had its xid.';
