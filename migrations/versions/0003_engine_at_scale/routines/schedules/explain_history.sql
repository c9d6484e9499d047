create or replace function gnomon_data.explain_history(shard smallint, schedule_id uuid, accepted_at_utc timestamptz) returns jsonb
language sql stable
as $$
    with told as (
        select e.at_utc, e.kind, e.detail, case e.kind
               when 'edited' then 'Changed: ' || coalesce((select string_agg(case when c.value = 'true' then c.key
                       else format('%s from %s to %s', c.key, coalesce(c.value ->> 'from', 'nothing'),
                                   coalesce(c.value ->> 'to', 'nothing')) end, '; ' order by c.key)
                  from jsonb_each(e.detail -> 'changed') as c), 'nothing that is told') || '.'
               when 'moved' then format('The user moved from %s to %s; the pending occurrence from %s to %s.', e.detail #>> '{timezone,from}',
                   e.detail #>> '{timezone,to}', e.detail #>> '{fire_at,from}', e.detail #>> '{fire_at,to}')
               when 'paused' then 'Paused.'
               when 'resumed' then format('Resumed; it had been paused since %s.', e.detail ->> 'paused_at')
               when 'run' then format('Run by hand, beside the series: %s.', e.detail ->> 'notification_id')
               when 'retimed' then format('The rules of %s changed (zone data %s): moved from %s to %s.', e.detail ->> 'time_zone',
                   e.detail ->> 'zone_data', e.detail ->> 'from', e.detail ->> 'to')
               when 'recalendared' then format('The calendar %s changed: moved from %s to %s.', e.detail ->> 'calendar',
                   e.detail ->> 'from', e.detail ->> 'to')
               when 'set_aside' then format('Set aside: its fire failed with %s (%s).', e.detail ->> 'error', e.detail ->> 'code')
               when 'retried' then 'Tried again after it had been set aside.'
               when 'refused' then format('A reschedule of many was refused, it stayed as it was: %s (%s).', e.detail ->> 'error', e.detail ->> 'code')
               when 'stopped' then 'Cancelled while it was with a worker.' end as what
          from gnomon_data.events as e
         where e.shard = explain_history.shard and e.schedule_id = explain_history.schedule_id and e.delivery_id is null and e.kind <> 'missed'
         order by e.at_utc desc limit 50
    )
    select jsonb_build_object('at', gnomon_data.rfc3339(accepted_at_utc), 'version', 1, 'kind', 'accepted', 'what', 'Accepted.')
        || coalesce((select jsonb_agg(jsonb_strip_nulls(jsonb_build_object('at', gnomon_data.rfc3339(t.at_utc),
               'version', t.detail -> 'version', 'kind', t.kind, 'what', t.what, 'detail', nullif(t.detail - 'version', '{}'))) order by t.at_utc, (t.detail -> 'version')::int) from told as t), '[]')
$$;

comment on function gnomon_data.explain_history(smallint, uuid, timestamptz) is
    'What was done to a schedule, the oldest first, the last fifty: edits with what changed, moves, pauses, runs. As far back as events are kept.';
