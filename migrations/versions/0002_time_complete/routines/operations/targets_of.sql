create or replace function gnomon_data.targets_of(user_id text, template_id text, labels jsonb) returns text[]
language sql immutable parallel safe
as $$
    select array[gnomon_data.target_of('user', null, user_id), gnomon_data.target_of('template', null, template_id)]
        || case when labels is null then '{}'::text[]
                else array(select gnomon_data.target_of('label', l.key, l.value) from jsonb_each_text(labels) as l) end
$$;

comment on function gnomon_data.targets_of(text, text, jsonb) is 'Every target that a schedule belongs to.';
