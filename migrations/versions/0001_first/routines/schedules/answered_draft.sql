-- As the first time, with today's status: what the event became is worth knowing, what was promised is not computed anew.
create or replace function gnomon_data.answered_draft(d gnomon_data.draft, schedule_id uuid, answer jsonb, now_utc timestamptz)
returns gnomon_data.draft
language plpgsql stable
as $$
begin
    d.schedule_id := answered_draft.schedule_id;
    d.is_duplicate := true;
    d.status := coalesce(gnomon_data.status_of(d.shard, d.schedule_id, now_utc), 'skipped');
    d.fire_at_utc := (answer ->> 'fire_at_utc')::timestamptz;
    d.time_zone := answer ->> 'time_zone';
    d.time_zone_source := answer ->> 'time_zone_source';
    d.resolution := answer ->> 'resolution';
    d.if_past := answer ->> 'if_past';
    d.version := (answer ->> 'version')::int;
    d.warnings := array(select jsonb_array_elements_text(answer -> 'warnings'));
    d.place_fault := null;
    return d;
end
$$;

comment on function gnomon_data.answered_draft(gnomon_data.draft, uuid, jsonb, timestamptz) is 'A draft that carries an earlier answer.';
