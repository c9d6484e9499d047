-- What was given is shown in errors, but never all of it: a text of 10 MB would come back in every log on the way.
create or replace function gnomon_data.quoted(given text) returns text
language sql immutable parallel safe
as $$ select coalesce('"' || left(given, 64) || case when length(given) > 64 then '...' else '' end || '"', 'null') $$;

comment on function gnomon_data.quoted(text) is 'The first 64 characters of a text in double quotes, for error messages; the word null for null.';
