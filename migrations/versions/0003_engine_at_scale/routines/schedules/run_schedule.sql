-- An extra one beside the series: deliveries, a row of the ledger and an event as the fire makes them, and the schedule itself
-- is only read. So it moves no occurrence, counts for no end_after (ninety pills are ninety pills, whoever tried the button),
-- and a paused schedule runs too. occurrence 0 says that it is none of the series; a cancel stops it like the others.
-- Where the fire holds what comes before in order, this only looks: the caller's transaction may stay open, and a worker must
-- not wait for it. What is parked behind one that is settled meanwhile is left to upkeep.
create or replace function gnomon.run_schedule(schedule_id text, expected_version int default null) returns gnomon.extra_run
language plpgsql volatile security definer set search_path = ''
as $$
declare
    known_id constant uuid := gnomon_data.id_of('sch', schedule_id);
    made_id uuid;
    now_utc timestamptz;
    reading timestamp;
    s gnomon_data.schedules;
    made int;
    of_category gnomon_data.categories;
    channels text[];
begin
    perform pg_current_xact_id();
    s := gnomon_data.lock_schedule(gnomon_data.shard_of_id(known_id), known_id, expected_version);
    now_utc := gnomon_data.now_utc();
    reading := date_trunc('second', now_utc at time zone s.time_zone);
    made_id := gnomon_data.new_id(s.shard, now_utc);
    select c.* into of_category from gnomon_data.categories as c where c.name = s.category;
    channels := coalesce(s.channels, of_category.channels, gnomon_data.default_channels());
    insert into gnomon_data.deliveries (lane, shard, id, channel, ready_at_utc, due_at_utc, schedule_id, notification_id,
        user_id, template_id, params, payload_id, dedup_key, key, occurrence, scheduled_at_utc, nominal_local, time_zone,
        expires_at_utc, accepted_at_utc, fired_at_utc, labels, spared_by, category)
    select s.lane, s.shard, gnomon_data.new_id(s.shard, now_utc, s.lane), c.channel,
           case when gnomon_data.keeps_order(s.lane) and exists (select from gnomon_data.deliveries as w
                         where w.lane = s.lane and w.shard = s.shard and w.user_id = s.user_id and w.channel = c.channel
                           and w.due_at_utc <= now_utc and not w.has_given_way)
                then 'infinity' else now_utc end,
           now_utc, s.id, made_id, s.user_id, s.template_id, s.params, s.payload_id, s.dedup_key, s.key, 0,
           now_utc, reading, s.time_zone, coalesce(s.expires_at_utc, now_utc + coalesce(s.expires_for, of_category.expires_for)), s.accepted_at_utc, now_utc,
           s.labels, s.spared_by, s.category
      from unnest(channels) as c (channel);
    get diagnostics made = row_count;
    insert into gnomon_data.channels_in_use (lane, channel)
    select s.lane, c.channel from unnest(channels) as c (channel)
     where not exists (select from gnomon_data.channels_in_use as u where u.lane = s.lane and u.channel = c.channel);
    perform gnomon_data.log_day('occurrence_log', now_utc);
    insert into gnomon_data.occurrence_log (logged_at_utc, shard, schedule_id, outcome, is_last, user_id, template_id, lane,
        notification_id, occurrence, due_at_utc, fire_at_utc, nominal_local, time_zone)
    values (now_utc, s.shard, s.id, 'fired', false, s.user_id, s.template_id, s.lane, made_id, 0, now_utc, now_utc, reading,
        s.time_zone);
    perform gnomon_data.note_event(s.shard, s.id, 'run',
        jsonb_build_object('notification_id', gnomon_data.id_text('ntf', made_id)), now_utc);
    return row(gnomon_data.id_text('sch', s.id), gnomon_data.id_text('ntf', made_id), now_utc, made)::gnomon.extra_run;
end
$$;

comment on function gnomon.run_schedule(text, int) is
    'Fires an extra notification now, in the caller''s transaction, beside the series: no occurrence moves and none is counted. Each call makes one. GN021 stale version, GN025 over, GN029 a one-shot on its way.';
revoke all on function gnomon.run_schedule(text, int) from public;
grant execute on function gnomon.run_schedule(text, int) to gnomon_caller;
