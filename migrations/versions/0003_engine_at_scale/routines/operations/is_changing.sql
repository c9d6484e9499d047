-- What was due when it was called is not held: that fires by the old plan, as beside a reschedule of one.
create or replace function gnomon_data.is_changing(
    user_id text, template_id text, labels jsonb, spared_by uuid[], fire_at_utc timestamptz) returns boolean
language sql stable
as $$
    select exists (select from gnomon_data.mass_pauses as p
                    where p.changes_at_utc < is_changing.fire_at_utc
                      and p.target = any (gnomon_data.targets_of(is_changing.user_id, is_changing.template_id, is_changing.labels))
                      and p.operation_id <> all (coalesce(is_changing.spared_by, '{}')))
$$;

comment on function gnomon_data.is_changing(text, text, jsonb, uuid[], timestamptz) is
    'Whether a mass reschedule in effect holds what would fire of this schedule at an instant (infinity: whenever), since the sweep has not changed it yet.';
