-- The pauses, resumes and reschedules that mean a schedule, one after the other in their order, each reschedule as of the
-- instant of its call: a delay counts from there, what was due by then fires by the old plan, and the outcome is the same
-- whenever the sweep comes. What they are is read once, by one snapshot, and all of it is noted, so nothing is done twice.
-- While it was held the fire dropped its timer and claims set back what had been fired ahead: both come back here, also
-- where a reschedule was refused.
create or replace function gnomon_data.change_in_turn(
    shard smallint, schedule_id uuid, now_utc timestamptz, is_careful boolean) returns jsonb
language plpgsql volatile
set enable_seqscan = off set enable_bitmapscan = off
as $$
declare
    s gnomon_data.schedules;
    was_aside boolean;
    old_stamp bigint;
    done uuid[] := '{}';
    p record;
    fault gnomon_data.fault;
    refusals jsonb := '[]';
    has_timer boolean := false;
begin
    select x.* into s from gnomon_data.schedules as x where x.shard = change_in_turn.shard and x.id = change_in_turn.schedule_id;
    was_aside := gnomon_data.is_set_aside(s.shard, s.id, s.stamp);
    for p in
        select m.*, gnomon_data.id_text('op', m.operation_id) as told_id from gnomon_data.mass_pauses as m
         where m.target = any (gnomon_data.targets_of(s.user_id, s.template_id, s.labels))
           and m.operation_id <> all (coalesce(s.spared_by, '{}'))
         order by m.place
    loop
        done := done || p.operation_id;
        if p.changes_at_utc is not null then
            s.spared_by := coalesce(s.spared_by, '{}') || done;
            old_stamp := s.stamp;
            -- So that whatever is written gets a timer with it.
            s.stamp := gnomon_data.next_stamp(s.stamp, now_utc);
            fault := gnomon_data.change_of_many(s, p.merge, now_utc, greatest(p.changes_at_utc, s.accepted_at_utc), is_careful);
            select x.* into s from gnomon_data.schedules as x where x.shard = change_in_turn.shard and x.id = change_in_turn.schedule_id;
            has_timer := has_timer or s.stamp <> old_stamp;
            if fault.code is not null then
                refusals := refusals || jsonb_build_object('operation_id', p.operation_id, 'schedule_id', gnomon_data.id_text('sch', s.id),
                    'code', fault.code, 'detail', fault.message, 'pointer', fault.pointer);
                perform gnomon_data.note_event(s.shard, s.id, 'refused',
                    jsonb_build_object('operation_id', p.told_id, 'code', fault.code, 'error', fault.message), now_utc);
            end if;
        elsif p.is_resume = (s.paused_at_utc is not null) then
            perform gnomon_data.note_event(s.shard, s.id, case when p.is_resume then 'resumed' else 'paused' end, jsonb_strip_nulls(
                jsonb_build_object('version', s.version + 1, 'operation_id', p.told_id, 'paused_at', gnomon_data.rfc3339(s.paused_at_utc))), now_utc);
            perform gnomon_data.drop_timer(s.shard, s.lane, s.fire_at_utc, s.id, s.stamp);
            s.paused_at_utc := case when not p.is_resume then now_utc end;
            s.version := s.version + 1;
            s := gnomon_data.write_pending(s, now_utc);
            has_timer := false;
            was_aside := false;
        end if;
    end loop;
    if not (has_timer or was_aside or s.paused_at_utc is not null) then
        perform gnomon_data.drop_timer(s.shard, s.lane, s.fire_at_utc, s.id, s.stamp);
        s := gnomon_data.write_pending(s, now_utc);
        perform gnomon_data.set_timer(s, now_utc);
    end if;
    if not coalesce(s.spared_by, '{}') @> done then
        update gnomon_data.schedules as x set spared_by = coalesce(x.spared_by, '{}') || done
         where x.shard = s.shard and x.id = s.id and x.is_recurring = s.is_recurring;
    end if;
    if s.is_recurring then
        perform gnomon_data.let_go(s.shard, s.id, now_utc);
    end if;
    return refusals;
end
$$;

comment on function gnomon_data.change_in_turn(smallint, uuid, timestamptz, boolean) is
    'Applies to a schedule that this transaction has locked with its key the mass operations that mean it; the reschedules that were refused. is_careful: what raises is refused, too.';
