create or replace function gnomon_data.pauses_of(
    user_id text, template_id text, labels jsonb, spared_by uuid[],
    out operation_id uuid, out is_resume boolean, out has_pause boolean, out has_change boolean, out seen uuid[])
language sql stable
as $$
    select (array_agg(p.operation_id order by p.place desc) filter (where p.changes_at_utc is null))[1],
           (array_agg(p.is_resume order by p.place desc) filter (where p.changes_at_utc is null))[1],
           bool_or(not p.is_resume) filter (where p.changes_at_utc is null), bool_or(p.changes_at_utc is not null),
           gnomon_data.operations_seen(pauses_of.user_id, pauses_of.template_id, pauses_of.labels)
      from gnomon_data.mass_pauses as p
     where p.target = any (gnomon_data.targets_of(pauses_of.user_id, pauses_of.template_id, pauses_of.labels))
       and p.operation_id <> all (coalesce(pauses_of.spared_by, '{}'))
$$;

comment on function gnomon_data.pauses_of(text, text, jsonb, uuid[]) is
    'Of the mass pauses and resumes that mean a schedule: the latest, whether there is a pause among them or a reschedule, and all operations in effect that it has seen then.';
