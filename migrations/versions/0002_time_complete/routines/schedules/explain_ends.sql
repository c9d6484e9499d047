create or replace function gnomon_data.explain_ends(shard smallint, schedule_id uuid) returns jsonb
language sql stable
as $$
    select coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object('at', gnomon_data.rfc3339(o.logged_at_utc), 'outcome', o.outcome,
               'occurrence', case when o.outcome = 'fired' then o.occurrence end, 'due_at', gnomon_data.rfc3339(o.due_at_utc),
               'reading', gnomon_data.local_text(o.nominal_local), 'timezone', o.time_zone,
               'notification_id', gnomon_data.id_text('ntf', o.notification_id))) order by o.logged_at_utc, o.occurrence, o.is_last), '[]')
      from (select x.* from gnomon_data.occurrence_log as x
             where x.shard = explain_ends.shard and x.schedule_id = explain_ends.schedule_id
             order by x.logged_at_utc desc, x.is_last desc limit 20) as o
$$;

comment on function gnomon_data.explain_ends(smallint, uuid) is
    'The last twenty lines of the ledger for a schedule, the oldest first: what fired, was missed, expired, was withdrawn, and the end.';
