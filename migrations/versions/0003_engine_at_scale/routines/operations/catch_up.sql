-- What pauses and resumes the schedules and notes it, by one statement and so by one snapshot: an operation that commits
-- meanwhile is neither applied nor noted, and comes later. In place and in no indexed column, as the pause of one.
-- What has been fired ahead is not taken back: that may mean to wait for a claim, and the sweep waits for nobody.
-- What a reschedule means as well is left out: that goes in turn (change_in_turn).
-- While it was held the fire dropped its timer, so a resume sets one whether or not the pause had been applied.
create or replace function gnomon_data.catch_up(shard smallint, ids uuid[], now_utc timestamptz) returns int
language plpgsql volatile
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
    done record;
begin
    perform gnomon_data.log_day('events', now_utc);
    with due as materialized (
        select s.*, p.operation_id, p.seen, not p.is_resume and s.paused_at_utc is null as pauses,
               p.is_resume and (s.paused_at_utc is not null or p.has_pause) as resumes,
               gnomon_data.next_stamp(s.stamp, now_utc) as new_stamp
          from gnomon_data.one_by_one(ids) as g (id)
         cross join lateral (select x.*, x.ctid as tid from gnomon_data.schedules as x where x.shard = catch_up.shard and x.id = g.id limit 1) as s
         cross join lateral (select v.* from gnomon_data.pauses_of(s.user_id, s.template_id, s.labels, s.spared_by) as v offset 0) as p
         where p.operation_id is not null and not p.has_change and not gnomon_data.is_doomed(s.user_id, s.template_id, s.labels, s.spared_by)
    ), changed as (
        update gnomon_data.schedules as s
           set spared_by = d.seen,
               paused_at_utc = case when d.pauses then now_utc when not d.resumes then d.paused_at_utc end,
               stamp = case when d.pauses or d.resumes then d.new_stamp else d.stamp end,
               version = d.version + (d.pauses or d.resumes)::int
          from due as d
         where s.ctid = d.tid and s.shard = d.shard and s.id = d.id and s.is_recurring = d.is_recurring
    ), told as (
        insert into gnomon_data.events (at_utc, shard, schedule_id, kind, detail)
        select now_utc, d.shard, d.id, case when d.pauses then 'paused' else 'resumed' end,
               jsonb_strip_nulls(jsonb_build_object('version', d.version + 1, 'operation_id', gnomon_data.id_text('op', d.operation_id),
                   'paused_at', case when d.resumes then gnomon_data.rfc3339(d.paused_at_utc) end))
          from due as d where d.pauses or d.resumes
    )
    select count(*) as caught_up,
           array_agg(row(d.fire_at_utc, d.fire_at_utc, d.stamp, d.id, d.shard, d.lane, 0)::gnomon_data.timers) filter (where d.pauses) as old_timers,
           array_agg(row(d.fire_at_utc, d.fire_at_utc, d.new_stamp, d.id, d.shard, d.lane, case when d.is_recurring then 2 else 1 end)::gnomon_data.timers)
               filter (where d.resumes) as new_timers, min(d.fire_at_utc) filter (where d.resumes) as first_at_utc
      into done from due as d;
    if done.old_timers is not null then
        perform gnomon_data.drop_timers(shard, done.old_timers);
    end if;
    if done.new_timers is not null then
        perform gnomon_data.put_timers(done.new_timers, now_utc);
        perform gnomon_data.hint_due(done.first_at_utc, now_utc);
    end if;
    return done.caught_up;
end
$$;

comment on function gnomon_data.catch_up(smallint, uuid[], timestamptz) is
    'Applies to schedules of a shard, locked by this transaction, the mass pauses and resumes that mean them; to how many. now_utc was read after its xid.';
