-- Called only where mass cancels are known to be in effect, or for single schedules: it costs an index probe a target.
create or replace function gnomon_data.is_doomed(user_id text, template_id text, labels jsonb, spared_by uuid[]) returns boolean
language sql stable
as $$
    select exists (select from gnomon_data.mass_cancels as c
                    where c.target = any (gnomon_data.targets_of(is_doomed.user_id, is_doomed.template_id, is_doomed.labels))
                      and c.operation_id <> all (coalesce(is_doomed.spared_by, '{}')))
$$;

comment on function gnomon_data.is_doomed(text, text, jsonb, uuid[]) is 'Whether a mass cancel in effect means this schedule: one that it was not accepted after.';
