-- What is new is written here, set-based and in (shard, id) order. What failed after its key was taken gives it back.
create or replace function gnomon_data.write_drafts(drafts gnomon_data.draft[], now_utc timestamptz) returns void
language plpgsql volatile
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
    has_operations constant boolean := gnomon_data.has_operations();
    first_stamp constant bigint := gnomon_data.next_stamp(null, now_utc);
    timers gnomon_data.timers[];
begin
    -- Both are rare, and asked for first: joins of the whole batch with itself are left to no planner.
    if exists (select from unnest(drafts) as d where (d.fault).code is not null and d.schedule_id is not null) then
        delete from gnomon_data.schedule_keys as k using unnest(drafts) as d
         where (d.fault).code is not null and d.schedule_id is not null and k.shard = d.shard and k.schedule_id = d.schedule_id
           and (k.kind = 0 and k.key_hash = gnomon_data.key_hash(d.user_id, d.dedup_key)
                or k.kind = 1 and k.key_hash = gnomon_data.key_hash(d.user_id, d.key));
    end if;
    -- A dedup_key that came together with a key: the event is the schedule that the key already had.
    if exists (select from unnest(drafts) as d where d.dedup_key is not null and d.key is not null) then
        update gnomon_data.schedule_keys as k set schedule_id = (d.answering).schedule_id, answer = gnomon_data.answer_of(d.answering)
          from (select x.shard, x.user_id, x.dedup_key, drafts[coalesce(x.same_as, x.ordinal)] as answering
                  from unnest(drafts) as x where x.dedup_key is not null and x.key is not null) as d
         where ((d.answering).fault).code is null and k.shard = d.shard and k.kind = 0
           and k.key_hash = gnomon_data.key_hash(d.user_id, d.dedup_key) and k.schedule_id <> (d.answering).schedule_id;
    end if;
    with written as (
        insert into gnomon_data.schedules (shard, id, is_recurring, user_id, template_id, lane, channels, params, payload_id, labels,
            dedup_key, key, when_words, rule, time_zone, time_zone_source, window_for, expires_at_utc, expires_for, if_past,
            nominal_local, resolution, due_at_utc, fire_at_utc, stamp, fired_count, accepted_at_utc,
            spared_by, category, has_own_lane)
        select d.shard, d.schedule_id, d.is_recurring, d.user_id, d.template_id, d.lane, d.channels,
               case when p.is_short then d.params end,
               case when not p.is_short then (gnomon_data.store_params(d.shard, d.schedule_id, d.params)).payload_id end, d.labels,
               d.dedup_key, d.key, d.when_words, d.rule, d.time_zone, d.time_zone_source, d.window_for, d.expires_at_utc, d.expires_for,
               d.if_past, d.nominal_local, d.resolution, d.due_at_utc, d.fire_at_utc, first_stamp,
               coalesce(d.fired_count, 0), now_utc,
               case when has_operations then gnomon_data.operations_seen(d.user_id, d.template_id, d.labels) end,
               d.category, d.has_own_lane
          from unnest(drafts) as d
         -- A call for each row, to be told that its params stay where they are, would cost as much as the row's index.
         cross join lateral (select octet_length(d.params::text) <= 1024 as is_short) as p
         where (d.fault).code is null and d.is_new and not d.is_skipped and d.same_as is null
         order by d.shard, d.schedule_id
     returning shard, id, lane, fire_at_utc, is_recurring
    )
    select array_agg(row(w.fire_at_utc, w.fire_at_utc, first_stamp, w.id, w.shard, w.lane,
                         case when w.is_recurring then 2 else 1 end)::gnomon_data.timers)
      into timers from written as w;
    if timers is not null then
        perform gnomon_data.put_timers(timers, now_utc);
        perform gnomon_data.note_accepted(array(select t.subject_id from unnest(timers) as t));
        perform gnomon_data.hint_due((select min(t.fire_at_utc) from unnest(timers) as t), now_utc);
    end if;
    if exists (select from unnest(drafts) as d where (d.fault).code is null and d.is_new and d.is_skipped) then
        perform gnomon_data.log_day('occurrence_log', now_utc);
        insert into gnomon_data.occurrence_log (logged_at_utc, shard, schedule_id, outcome, is_last, user_id, template_id, lane,
            occurrence, due_at_utc, nominal_local, time_zone)
        select now_utc, d.shard, d.schedule_id, 'skipped', true, d.user_id, d.template_id, d.lane, 0, d.due_at_utc, d.nominal_local, d.time_zone
          from unnest(drafts) as d where (d.fault).code is null and d.is_new and d.is_skipped;
        perform gnomon_data.note_accepted(array(select distinct d.schedule_id from unnest(drafts) as d
                                                 where (d.fault).code is null and d.is_new and d.is_skipped));
    end if;
end
$$;

comment on function gnomon_data.write_drafts(gnomon_data.draft[], timestamptz) is 'Writes the new schedules of a batch with their timers.';
