create or replace function gnomon_data.operations_seen(user_id text, template_id text, labels jsonb) returns uuid[]
language sql stable
as $$
    select array_agg(o.operation_id)
      from (select c.operation_id from gnomon_data.mass_cancels as c
             where c.target = any (gnomon_data.targets_of(operations_seen.user_id, operations_seen.template_id, operations_seen.labels))
             union all
            select p.operation_id from gnomon_data.mass_pauses as p
             where p.target = any (gnomon_data.targets_of(operations_seen.user_id, operations_seen.template_id, operations_seen.labels))) as o
$$;

comment on function gnomon_data.operations_seen(text, text, jsonb) is
    'The mass operations in effect that would mean this schedule; one that is accepted now comes after them. null: none.';
