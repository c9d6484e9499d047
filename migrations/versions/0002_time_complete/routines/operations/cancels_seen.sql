create or replace function gnomon_data.cancels_seen(user_id text, template_id text, labels jsonb) returns uuid[]
language sql stable
as $$
    select array_agg(c.operation_id) from gnomon_data.mass_cancels as c
     where c.target = any (gnomon_data.targets_of(cancels_seen.user_id, cancels_seen.template_id, cancels_seen.labels))
$$;

comment on function gnomon_data.cancels_seen(text, text, jsonb) is
    'The mass cancels in effect that would mean this schedule; one that is accepted now comes after them. null: none.';
