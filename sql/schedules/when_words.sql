create or replace function gnomon_data.when_words(normalised jsonb) returns jsonb
language sql immutable parallel safe
as $$
    select coalesce(jsonb_object_agg(e.key, e.value), '{}')
      from jsonb_each(normalised) as e
     where e.key in (select f.field from gnomon_data.request_fields() as f where f.says_when)
$$;

comment on function gnomon_data.when_words(jsonb) is 'The fields of a normalised request that say when.';
