create or replace function gnomon_data.explain_misfire(shard smallint, schedule_id uuid, rule jsonb) returns jsonb
language sql stable
as $$
    with past as (
        select e.at_utc, e.detail from gnomon_data.events as e
         where e.shard = explain_misfire.shard and e.schedule_id = explain_misfire.schedule_id and e.kind = 'missed'
    ), latest as (
        select p.* from past as p order by p.at_utc desc limit 20
    )
    select jsonb_strip_nulls(jsonb_build_object('policy', coalesce(rule ->> 'misfire', case when rule is not null then 'fire_once' end),
            'misfire_limit', rule -> 'limit', 'max_lateness', gnomon_data.span_words((rule -> 'late')::numeric)))
        || jsonb_build_object(
            'missed_count', (select coalesce(sum((p.detail -> 'count')::bigint), 0) from past as p),
            'past', coalesce((select jsonb_agg(jsonb_build_object('decided_at', gnomon_data.rfc3339(l.at_utc)) || l.detail || jsonb_build_object('why',
                format('%s %s from %s to %s when it was looked at: left out by %s.', l.detail ->> 'count',
                    case l.detail ->> 'count' when '1' then 'occurrence was overdue' else 'occurrences were overdue' end,
                    l.detail ->> 'from', l.detail ->> 'until', l.detail ->> 'policy')) order by l.at_utc) from latest as l), '[]'))
$$;

comment on function gnomon_data.explain_misfire(smallint, uuid, jsonb) is
    'The misfire policy of a schedule, how many occurrences were left out, and the last twenty decisions. As far back as events are kept.';
