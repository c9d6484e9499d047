create or replace function gnomon_data.hash_of(given text) returns bytea
language sql stable parallel safe
as $$ select sha256(convert_to(given, 'UTF8')) $$;

comment on function gnomon_data.hash_of(text) is 'sha256 of the UTF-8 text, 32 bytes.';
