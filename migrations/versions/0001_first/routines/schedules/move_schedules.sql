-- The pending reading moves with the user and not only its rule: Tuesday's nine o'clock stays Tuesday's, wherever it is
-- read. So none is lost and none comes twice, eastward or westward. What has passed on the new wall already fires at
-- once; what is due by the old one is never touched, it fires; a one-shot on its way goes its way.
create or replace function gnomon_data.move_schedules(shard smallint, user_id text, time_zone text, out moved_count int, out pinned_count int)
language plpgsql volatile
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
    now_utc timestamptz;
    s gnomon_data.schedules;
    moved gnomon_data.schedules;
begin
    moved_count := 0;
    pinned_count := 0;
    perform pg_current_xact_id();
    now_utc := gnomon_data.now_utc();
    for s in
        select x.* from gnomon_data.schedules as x
         where x.shard = move_schedules.shard and x.user_id = move_schedules.user_id and x.rule ? 'time'
         order by x.id for update
    loop
        if s.time_zone_source = 'request' then
            pinned_count := pinned_count + 1;
            continue;
        end if;
        continue when s.time_zone = move_schedules.time_zone and s.time_zone_source = 'user';
        moved := gnomon_data.set_back(s, now_utc);
        moved.time_zone := move_schedules.time_zone;
        moved.time_zone_source := 'user';
        if moved.fire_at_utc > now_utc then
            select r.due_at_utc, r.kind into moved.due_at_utc, moved.resolution
              from gnomon_data.due_of_reading(s.rule, move_schedules.time_zone, moved.nominal_local) as r;
            if moved.due_at_utc is null then
                select n.due_at_utc, n.nominal_local, n.kind into moved.due_at_utc, moved.nominal_local, moved.resolution
                  from gnomon_data.next_occurrence(s.rule, move_schedules.time_zone, now_utc) as n;
            end if;
            moved.due_at_utc := coalesce(moved.due_at_utc, s.due_at_utc);
            moved.fire_at_utc := gnomon_data.spread(s.id, moved.due_at_utc, s.window_for);
            moved.stamp := gnomon_data.next_stamp(s.stamp, now_utc);
        end if;
        moved.version := s.version + 1;
        perform gnomon_data.replace_row(s, moved, now_utc);
        moved_count := moved_count + 1;
    end loop;
end
$$;

comment on function gnomon_data.move_schedules(smallint, text, text) is
    'Moves the schedules of a user that follow the user to another zone; how many moved, how many named their own.';
