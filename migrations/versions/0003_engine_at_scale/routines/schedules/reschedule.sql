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
    elsif old.id is null or not old.is_recurring and old.fire_at_utc <= now_utc and not gnomon_data.is_paused(old)
          and not gnomon_data.is_changing(old.user_id, old.template_id, old.labels, old.spared_by, old.fire_at_utc) then
        perform gnomon_data.refuse_change(home, known_id, now_utc);
    elsif expected_version <> old.version then
        perform gnomon_data.fail('GN021', format('version %s is stale, the schedule is at %s', expected_version, old.version),
            'read it again and repeat the change');
    end if;
    old := gnomon_data.caught_up(old, now_utc);
    if not old.is_recurring and old.fire_at_utc <= now_utc and old.paused_at_utc is null then
        -- A reschedule of many has made it due.
        perform gnomon_data.refuse_change(home, known_id, now_utc);
    end if;
    d := gnomon_data.apply_change(old, gnomon_data.read_change(change), now_utc, now_utc);
    perform gnomon_data.raise_fault(d.fault);
    return row(schedule_id, d.fire_at_utc, d.status, false, d.time_zone, d.time_zone_source, d.resolution, d.if_past, d.version,
        d.warnings)::gnomon.scheduled;
end
$$;

comment on function gnomon.reschedule(text, jsonb, int) is
    'Changes a schedule by an RFC 7396 merge of its request; user_id, dedup_key and key cannot change. GN021 stale version, GN025 over, GN029 a one-shot on its way.';
revoke all on function gnomon.reschedule(text, jsonb, int) from public;
grant execute on function gnomon.reschedule(text, jsonb, int) to gnomon_caller;
