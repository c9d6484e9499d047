-- A changed request for a schedule that lives; the row is locked. Three rules:
--   An edit that does not move the instant keeps stamp and timer, so that a rebuild of ten million writes no timers.
--   An occurrence whose instant has passed still fires, now and by the old words; the next follows the new rule.
--   A recurrence that was fired ahead and is not yet due comes back first: count and last instant are set back.
create or replace function gnomon_data.change_schedule(old gnomon_data.schedules, d gnomon_data.draft, now_utc timestamptz)
returns gnomon_data.draft
language plpgsql volatile
as $$
declare
    old_timer constant gnomon_data.schedules := old;
    moves boolean;
    placed gnomon_data.draft;
begin
    old := gnomon_data.set_back(old, now_utc);
    placed := d;
    placed.schedule_id := old.id;
    if d.when_words -> 'recurrence' = old.when_words -> 'recurrence' and d.when_words -> 'schedule_date' is not distinct from old.when_words -> 'schedule_date' then
        -- Another time of day is no other rhythm: the weekday, and the week that "every 2 weeks" counts from, stay.
        placed.compiled := placed.compiled || jsonb_strip_nulls(jsonb_build_object('days', old.rule -> 'days', 'anchor', old.rule -> 'anchor'));
    end if;
    placed := gnomon_data.place_draft(placed, now_utc, greatest(now_utc, old.last_due_at_utc));
    moves := (d.when_words - array['expires_at', 'expires_in']) is distinct from (old.when_words - array['expires_at', 'expires_in']);
    if moves and (placed.place_fault).code is not null then
        d.fault := placed.place_fault;
        return d;
    end if;
    if moves and old.fire_at_utc <= now_utc then
        perform gnomon_data.fire_schedules(array[old.shard], array[old.id], now_utc);
        select s.* into old from gnomon_data.schedules as s where s.shard = d.shard and s.id = placed.schedule_id;
        if old.id is null then
            d.is_new := true;
            return d;
        end if;
    end if;
    if (d.compiled ->> 'end_after')::int <= old.fired_count then
        d.fault := gnomon_data.field_fault('GN012', '/recurrence/end_after', format('has been reached: it has fired %s times', old.fired_count));
        return d;
    end if;
    if not moves then
        placed.rule := old.rule;
        placed.due_at_utc := old.due_at_utc;
        placed.fire_at_utc := old.fire_at_utc;
        placed.nominal_local := old.nominal_local;
        placed.resolution := old.resolution;
        placed.time_zone := old.time_zone;
        placed.time_zone_source := old.time_zone_source;
        placed.if_past := old.if_past;
        placed.place_fault := null;
        placed.is_skipped := false;
        placed.warnings := gnomon_data.channel_warnings(placed.channels);
    end if;
    placed.version := old_timer.version + 1;
    placed.status := 'scheduled';
    perform gnomon_data.rewrite_schedule(old, placed, now_utc,
        moves or old.lane <> placed.lane or old_timer.stamp <> old.stamp or old.fire_at_utc <> old_timer.fire_at_utc);
    return placed;
end
$$;

comment on function gnomon_data.change_schedule(gnomon_data.schedules, gnomon_data.draft, timestamptz) is
    'Applies a draft to a live schedule that this transaction has locked; the draft carries the answer or its fault.';
