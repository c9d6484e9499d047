create or replace function gnomon_data.note_event(shard smallint, schedule_id uuid, kind text, detail jsonb, now_utc timestamptz)
returns void
language plpgsql volatile
as $$
begin
    perform gnomon_data.log_day('events', now_utc);
    insert into gnomon_data.events (at_utc, shard, schedule_id, kind, detail)
    values (now_utc, note_event.shard, note_event.schedule_id, note_event.kind, note_event.detail);
end
$$;

comment on function gnomon_data.note_event(smallint, uuid, text, jsonb, timestamptz) is
    'Notes what deviated in the life of a schedule: edited, moved, paused, resumed, refused (a mass reschedule), run, missed, stopped.';
