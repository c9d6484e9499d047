-- Of several that mean it the latest counts: a resume after a pause lets it go on, before either has been swept.
create or replace function gnomon_data.is_held(user_id text, template_id text, labels jsonb, spared_by uuid[]) returns boolean
language sql stable
as $$
    select coalesce(
        (select not p.is_resume from gnomon_data.mass_pauses as p
          where p.target = any (gnomon_data.targets_of(is_held.user_id, is_held.template_id, is_held.labels))
            and p.changes_at_utc is null and p.operation_id <> all (coalesce(is_held.spared_by, '{}'))
          order by p.place desc limit 1),
        false)
$$;

comment on function gnomon_data.is_held(text, text, jsonb, uuid[]) is
    'Whether a mass pause in effect holds this schedule, although the sweep has not come to it yet.';
