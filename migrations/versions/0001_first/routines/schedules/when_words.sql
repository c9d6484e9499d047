create or replace function gnomon_data.when_words(normalised jsonb) returns jsonb
language sql immutable parallel safe
as $$ select normalised - gnomon_data.field_names('other than when') $$;

comment on function gnomon_data.when_words(jsonb) is 'The fields of a normalised request that say when.';
