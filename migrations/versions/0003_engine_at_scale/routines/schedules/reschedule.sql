-- The change is merged into the request that would make the schedule again, and the whole is read like any request: an
-- edit can make nothing that a new schedule could not be.
create or replace function gnomon.reschedule(schedule_id text, change jsonb, expected_version int default null) returns gnomon.scheduled
language plpgsql volatile security definer set search_path = ''
as $$
declare
    known_id constant uuid := gnomon_data.id_of('sch', schedule_id);
    home constant smallint := gnomon_data.shard_of_id(known_id);
    now_utc timestamptz;
    old gnomon_data.schedules;
    merge jsonb;
    d gnomon_data.draft;
begin
    perform pg_current_xact_id();
    perform from gnomon_data.schedules as s
       join gnomon_data.schedule_keys as k on k.shard = s.shard and k.kind = 1 and k.key_hash = gnomon_data.key_hash(s.user_id, s.key)
      where s.shard = home and s.id = known_id for update of k;
    select s.* into old from gnomon_data.schedules as s where s.shard = home and s.id = known_id for update;
    -- Not before: whoever held the schedule may have kept us waiting beyond its instant.
    now_utc := gnomon_data.now_utc();
    if gnomon_data.is_doomed(old.user_id, old.template_id, old.labels, old.spared_by) then
        perform gnomon_data.fail('GN025', 'the schedule is cancelled: nothing to change');
    elsif old.id is null or not old.is_recurring and old.fire_at_utc <= now_utc and not gnomon_data.is_paused(old) then
        perform gnomon_data.refuse_change(home, known_id, now_utc);
    elsif expected_version <> old.version then
        perform gnomon_data.fail('GN021', format('version %s is stale, the schedule is at %s', expected_version, old.version),
            'read it again and repeat the change');
    end if;
    old := gnomon_data.caught_up(old, now_utc);
    merge := gnomon_data.read_change(change);
    d := gnomon_data.read_request(gnomon_data.merge_patch(gnomon_data.request_of(old), merge), 1);
    perform gnomon_data.raise_fault(d.fault);
    perform gnomon_data.raise_fault(gnomon_data.hold_calendars(d.compiled));
    d.schedule_id := known_id;
    if d.compiled ->> 'kind' = 'relative' and not merge ? 'schedule_at' then
        -- A delay counts from the call that gave it: a change of something else does not start it again.
        d.compiled := (d.compiled - 'in') || jsonb_build_object('kind', 'instant', 'at', old.rule -> 'at');
    end if;
    if d.request_hash <> gnomon_data.hash_of(gnomon_data.request_of(old)::text) then
        d := gnomon_data.change_schedule(old, d, now_utc);
        perform gnomon_data.raise_fault(d.fault);
        if d.is_new then
            perform gnomon_data.fail('GN029', 'an occurrence is on its way: the recurrence can end only when it has fired', 'repeat the change in a moment');
        end if;
        update gnomon_data.schedule_keys as k set request_hash = d.request_hash
         where k.shard = home and k.kind = 1 and k.key_hash = gnomon_data.key_hash(d.user_id, d.key) and k.schedule_id = known_id;
    else
        d := gnomon_data.live_answer(d, old);
    end if;
    return row(schedule_id, d.fire_at_utc, d.status, false, d.time_zone, d.time_zone_source, d.resolution, d.if_past, d.version,
        d.warnings)::gnomon.scheduled;
end
$$;

comment on function gnomon.reschedule(text, jsonb, int) is
    'Changes a schedule by an RFC 7396 merge of its request; user_id, dedup_key and key cannot change. GN021 stale version, GN025 over, GN029 a one-shot on its way.';
revoke all on function gnomon.reschedule(text, jsonb, int) from public;
grant execute on function gnomon.reschedule(text, jsonb, int) to gnomon_caller;
