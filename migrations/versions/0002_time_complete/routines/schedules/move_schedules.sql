-- The pending reading moves with the user and not only its rule: Tuesday's nine o'clock stays Tuesday's, wherever it is
-- read. So none is lost and none comes twice, eastward or westward. What has passed on the new wall already fires at
-- once; what is due by the old one is never touched, it fires; a one-shot on its way goes its way.
-- Only what has to move is locked: the nightly set_users of everybody must hold nothing against the fire. Keys before
-- schedules, in key order, as an upsert does: two rebuilds of one user would deadlock otherwise. And again until nothing is
-- left to move: an edit writes its row anew, and the row that we waited for is then in no snapshot of before.
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
    perform pg_current_xact_id();
    while exists (select from gnomon_data.schedules as x where x.shard = move_schedules.shard and x.user_id = move_schedules.user_id
                     and gnomon_data.is_to_move(x, move_schedules.time_zone)) loop
        perform k.key_hash from gnomon_data.schedule_keys as k
          where k.shard = move_schedules.shard and k.kind = 1
            and k.key_hash in (select gnomon_data.key_hash(x.user_id, x.key) from gnomon_data.schedules as x
                                where x.shard = move_schedules.shard and x.user_id = move_schedules.user_id and x.key is not null
                                  and gnomon_data.is_to_move(x, move_schedules.time_zone))
          order by k.key_hash for update;
        now_utc := gnomon_data.now_utc();
        for s in
            select x.* from gnomon_data.schedules as x where x.shard = move_schedules.shard and x.user_id = move_schedules.user_id
               and gnomon_data.is_to_move(x, move_schedules.time_zone) order by x.id for update
        loop
            moved := gnomon_data.moved_schedule(gnomon_data.set_back(s, now_utc), move_schedules.time_zone, now_utc);
            perform gnomon_data.replace_row(s, moved, now_utc);
            perform gnomon_data.note_event(s.shard, s.id, 'moved', jsonb_build_object('version', moved.version,
                'timezone', jsonb_build_object('from', s.time_zone, 'to', moved.time_zone),
                'fire_at', jsonb_build_object('from', gnomon_data.rfc3339(s.fire_at_utc), 'to', gnomon_data.rfc3339(moved.fire_at_utc))), now_utc);
            moved_count := moved_count + 1;
        end loop;
    end loop;
    select count(*) into pinned_count from gnomon_data.schedules as x
     where x.shard = move_schedules.shard and x.user_id = move_schedules.user_id and gnomon_data.has_readings(x.rule) and x.time_zone_source = 'request';
end
$$;

comment on function gnomon_data.move_schedules(smallint, text, text) is
    'Moves the schedules of a user that follow the user to another zone; how many moved, how many named their own.';
