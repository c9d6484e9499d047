-- A changed request for a schedule that lives; the row is locked. Five rules:
--   An edit that does not move the instant keeps stamp and timer, so that a rebuild of ten million writes no timers.
--   An occurrence whose instant has passed still fires: it stays pending as it is, and the next follows the new rule. It is
--   not fired here: a fire holds the delivery before its own, and a caller's transaction may stay open for hours.
--   What became overdue while it was paused has nobody who would fire it: it is placed anew like the rest, and stays paused.
--   One that was set aside gets a timer again, whatever changed: that may have mended it.
--   A recurrence that was fired ahead and is not yet due comes back first: count and last instant are set back.
create or replace function gnomon_data.change_schedule(old gnomon_data.schedules, d gnomon_data.draft, now_utc timestamptz, as_of_utc timestamptz)
returns gnomon_data.draft
language plpgsql volatile
as $$
declare
    found constant gnomon_data.schedules := old;
    moves constant boolean := gnomon_data.instants_words(d.when_words) <> gnomon_data.instants_words(old.when_words);
    is_overdue boolean;
    placed gnomon_data.draft := d;
    written gnomon_data.draft;
begin
    old := gnomon_data.set_back(old, now_utc, as_of_utc);
    is_overdue := moves and old.due_at_utc <= as_of_utc and old.paused_at_utc is null;
    placed.schedule_id := old.id;
    if d.when_words -> 'recurrence' = old.when_words -> 'recurrence' and d.when_words -> 'schedule_date' is not distinct from old.when_words -> 'schedule_date' then
        -- Another time of day is no other rhythm: the weekday, and the week that "every 2 weeks" counts from, stay.
        placed.compiled := gnomon_data.keep_anchor(placed.compiled, old.rule,
            d.when_words ->> 'schedule_at' is not distinct from old.when_words ->> 'schedule_at');
    end if;
    placed := gnomon_data.place_draft(placed, as_of_utc, greatest(as_of_utc, old.last_due_at_utc));
    d.fault := gnomon_data.change_fault(old, placed, moves, as_of_utc);
    if (d.fault).code is not null or is_overdue and not (old.is_recurring and d.is_recurring) then
        -- A new schedule beside the overdue one, which fires and ends. A recurrence that became none fires this one only.
        d.is_new := (d.fault).code is null;
        old.is_recurring := old.is_recurring and not d.is_new;
        if old is distinct from found then
            old.stamp := gnomon_data.next_stamp(old.stamp, now_utc);
            perform gnomon_data.replace_row(found, old, now_utc);
        end if;
        return d;
    end if;
    if moves and old.is_recurring and old.paused_at_utc is not null and old.due_at_utc <= as_of_utc then
        perform gnomon_data.note_event(old.shard, old.id, 'missed', jsonb_build_object('from', gnomon_data.rfc3339(old.due_at_utc),
            'until', gnomon_data.rfc3339(as_of_utc), 'policy', 'edited while paused',
            'count', gnomon_data.count_occurrences(old.rule, old.time_zone, old.due_at_utc - interval '1 us', as_of_utc)), now_utc);
    end if;
    placed.place_fault := null;
    placed.is_skipped := false;
    placed.version := old.version + 1;
    placed.status := case when old.paused_at_utc is null then 'scheduled' else 'paused' end;
    placed.warnings := gnomon_data.channel_warnings(coalesce(placed.channels, gnomon_data.category_channels(placed.category)));
    written := placed;
    if is_overdue or not moves then
        written.due_at_utc := old.due_at_utc;
        written.fire_at_utc := old.fire_at_utc;
        written.nominal_local := old.nominal_local;
        written.resolution := old.resolution;
        written.if_past := old.if_past;
    end if;
    if not moves then
        written.rule := jsonb_strip_nulls(old.rule || jsonb_build_object('end_after', d.compiled -> 'end_after',
            'misfire', d.compiled -> 'misfire', 'limit', d.compiled -> 'limit', 'late', d.compiled -> 'late'));
        written.time_zone := old.time_zone;
        written.time_zone_source := old.time_zone_source;
    end if;
    perform gnomon_data.rewrite_schedule(old, written, now_utc,
        moves and not is_overdue or old.lane <> placed.lane or old.fire_at_utc <> found.fire_at_utc
            or gnomon_data.is_set_aside(found.shard, found.id, found.stamp));
    return case when is_overdue then placed else written end;
end
$$;

comment on function gnomon_data.change_schedule(gnomon_data.schedules, gnomon_data.draft, timestamptz, timestamptz) is
    'Applies a draft to a live schedule that this transaction has locked; the draft carries the answer or its fault. as_of_utc: the instant by which it is judged.';
