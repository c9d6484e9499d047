-- By the stamp: whoever edits, pauses or moves the schedule afterwards gives it another, and a timer of its own.
create or replace function gnomon_data.is_set_aside(shard smallint, schedule_id uuid, stamp bigint) returns boolean
language sql stable
as $$
    select exists (select from gnomon_data.set_aside as a
                    where a.shard = is_set_aside.shard and a.id = is_set_aside.schedule_id and a.stamp = is_set_aside.stamp)
$$;

comment on function gnomon_data.is_set_aside(smallint, uuid, bigint) is
    'Whether a schedule was set aside because its fire failed: it has no timer until it is mended and gnomon.retry_set_aside brings it back.';
