-- Found along the ledger: the log's key begins with the due instant, and there is no index of schedules over it.
create or replace function gnomon_data.explain_deliveries(shard smallint, schedule_id uuid) returns jsonb
language sql stable
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
    with fired as materialized (
        select distinct x.fire_at_utc from gnomon_data.occurrence_log as x
         where x.shard = explain_deliveries.shard and x.schedule_id = explain_deliveries.schedule_id and x.outcome = 'fired'
         order by x.fire_at_utc desc limit 20
    ), told as (
        select g.id, g.due_at_utc, g.channel, g.notification_id, g.outcome as state, g.attempts, g.reason, g.detail, g.provider_reference,
               g.settled_at_utc as at_utc, null::timestamptz as next_at_utc
          from fired as f
          join gnomon_data.delivery_log as g on g.shard = explain_deliveries.shard and g.due_at_utc = f.fire_at_utc
           and g.schedule_id = explain_deliveries.schedule_id
        union all
        (select d.id, d.due_at_utc, d.channel, d.notification_id, case when d.claim_id is null then 'queued' else 'sending' end, d.attempt,
               e.detail ->> 'reason', e.detail ->> 'detail', null, coalesce(e.at_utc, d.fired_at_utc),
               case when d.claim_id is null and d.ready_at_utc < gnomon_data.never_utc() then d.ready_at_utc end
          from gnomon_data.deliveries as d
          left join lateral (
               select v.at_utc, v.detail from gnomon_data.events as v
                where v.shard = d.shard and v.schedule_id = d.schedule_id and v.delivery_id = d.id and v.kind = 'retry'
                order by v.at_utc desc limit 1) as e on true
         where d.shard = explain_deliveries.shard and d.schedule_id = explain_deliveries.schedule_id
         order by d.due_at_utc desc limit 50)
    )
    select coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object('delivery_id', gnomon_data.id_text('dlv', t.id),
               'notification_id', gnomon_data.id_text('ntf', t.notification_id), 'channel', t.channel, 'state', t.state, 'attempts', t.attempts,
               'reason', t.reason, 'detail', t.detail, 'reference', t.provider_reference, 'due_at', gnomon_data.rfc3339(t.due_at_utc),
               'at', gnomon_data.rfc3339(t.at_utc), 'next_attempt_at', gnomon_data.rfc3339(t.next_at_utc),
               'what', concat_ws(', ', format('%s: %s', t.channel, t.state), format('attempts %s', t.attempts), t.reason, t.detail,
                                 'next attempt at ' || gnomon_data.rfc3339(t.next_at_utc)) || '.')) order by t.due_at_utc, t.id), '[]')
      from (select x.* from told as x order by x.due_at_utc desc, x.id desc limit 50) as t
$$;

comment on function gnomon_data.explain_deliveries(smallint, uuid) is
    'The deliveries of the last twenty firings of a schedule: how each ended and why, or when it is tried next; fifty at most.';
