-- The contract with every receiver: CloudEvents 1.0. due_at is the scheduled instant (after offset, before the window),
-- never the clock of the run; local_time the nominal reading.
create or replace function gnomon_data.event_of(
    d gnomon_data.deliveries, delivery_id text, due_at text, params jsonb) returns jsonb
language sql stable
as $$
    select jsonb_build_object(
        'specversion', '1.0', 'id', delivery_id, 'source', 'gnomon', 'type', 'notification.due',
        'subject', d.user_id, 'time', due_at, 'datacontenttype', 'application/json',
        'data', jsonb_build_object(
            'notification_id', gnomon_data.id_text('ntf', d.notification_id),
            'schedule_id', gnomon_data.id_text('sch', d.schedule_id),
            'key', d.key, 'dedup_key', d.dedup_key, 'user_id', d.user_id, 'template_id', d.template_id, 'channel', d.channel,
            'params', coalesce(params, '{}'), 'due_at', due_at,
            'local_time', gnomon_data.local_text(d.nominal_local), 'timezone', d.time_zone, 'occurrence', d.occurrence,
            'attempt', d.attempt, 'expires_at', gnomon_data.rfc3339(d.expires_at_utc), 'collapse_key', null))
$$;

comment on function gnomon_data.event_of(gnomon_data.deliveries, text, text, jsonb) is
    'The event that a receiver gets for a delivery, whose id and scheduled instant are given as texts.';
