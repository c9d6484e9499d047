create type gnomon.scheduled as (
    schedule_id text, fire_at_utc timestamptz, status text, is_duplicate boolean, time_zone text, time_zone_source text,
    resolution text, if_past text, version int, warnings text[]
);
comment on type gnomon.scheduled is 'The answer to a schedule request; fire_at_utc is the instant of hand-over, after offset and window.';

create type gnomon.scheduled_item as (
    ordinal int, schedule_id text, fire_at_utc timestamptz, status text, is_duplicate boolean, time_zone text,
    time_zone_source text, resolution text, if_past text, version int, warnings text[],
    error_code text, error_detail text, error_hint text, error_pointer text
);
comment on type gnomon.scheduled_item is 'One answer of schedule_many: ordinal counts from 1; error_code is null when the item was accepted.';

create type gnomon.cancelled as (
    schedule_id text, status text, was_fired boolean, fired_count int, fired_at_utc timestamptz,
    handed_over_count int, stopped_count int
);
comment on type gnomon.cancelled is
    'The answer to a cancel. was_fired speaks of the current occurrence: whether a delivery of it had been handed over.';

create type gnomon.schedule_details as (
    schedule_id text, user_id text, template_id text, status text, fire_at_utc timestamptz, time_zone text, time_zone_source text,
    local_time text, channels text[], params jsonb, lane text, dedup_key text, key text, labels jsonb, recurrence jsonb,
    version int, created_at_utc timestamptz, fired_at_utc timestamptz
);
comment on type gnomon.schedule_details is 'Everything told of one schedule; of an ended one, what the ledger keeps.';

create type gnomon.pending_schedule as (
    schedule_id text, template_id text, fire_at_utc timestamptz, recurrence text, key text, lane text, time_zone text,
    status text, version int, cursor text
);
comment on type gnomon.pending_schedule is 'A pending schedule in a user''s list; cursor continues the list after this row.';

-- A request on its way through acceptance: read (read_request), placed in time (place_draft), its dedup_key and key looked
-- up (dedup_drafts, key_drafts), written (write_drafts). compiled is the rule as the request says it, rule the one to
-- store. A place_fault counts only if the request turns out to need the place: one that was accepted before does not.
create type gnomon_data.draft as (
    ordinal int, fault gnomon_data.fault, request_hash bytea,
    shard smallint, user_id text, template_id text, lane smallint, channels text[], params jsonb, labels jsonb,
    dedup_key text, key text, when_words jsonb, compiled jsonb, rule jsonb, is_recurring boolean,
    time_zone text, time_zone_source text, window_for interval, expires_at_utc timestamptz, expires_for interval,
    wanted_if_past text,
    schedule_id uuid, due_at_utc timestamptz, fire_at_utc timestamptz, nominal_local timestamp, resolution text,
    if_past text, is_skipped boolean, warnings text[], place_fault gnomon_data.fault,
    status text, is_duplicate boolean, version int, is_new boolean, same_as int,
    fired_count int,
    category text, has_own_lane boolean
);
comment on type gnomon_data.draft is 'A schedule request between reading and writing; a fault in it is the item''s answer.';

create type gnomon.extra_run as (
    schedule_id text, notification_id text, fire_at_utc timestamptz, delivery_count int
);
comment on type gnomon.extra_run is 'The answer to run_schedule: the notification made beside the series, and its deliveries, one a channel.';
