create or replace function gnomon_data.is_meant(
    o gnomon_data.operations, user_id text, template_id text, labels jsonb, spared_by uuid[]) returns boolean
language sql immutable parallel safe
as $$
    select coalesce(case o.scope when 'user' then user_id = o.value when 'template' then template_id = o.value
                         else labels ->> o.name = o.value end
                    and (spared_by is null or o.id <> all (spared_by)), false)
$$;

comment on function gnomon_data.is_meant(gnomon_data.operations, text, text, jsonb, uuid[]) is
    'Whether an operation in effect means this schedule: of its target, and not accepted or edited after it.';
