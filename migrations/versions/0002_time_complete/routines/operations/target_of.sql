-- The length of the name stands before it: names and values of labels may hold any character.
create or replace function gnomon_data.target_of(scope text, name text, value text) returns text
language sql immutable parallel safe
as $$ select scope || ':' || coalesce(char_length(name)::text, '') || ':' || coalesce(name, '') || value $$;

comment on function gnomon_data.target_of(text, text, text) is 'What a mass operation is about, as one text: scope, name (of a label) and value.';
