create or replace function gnomon_data.key_hash(user_id text, key text) returns bytea
language sql stable parallel safe
as $$ select gnomon_data.hash_of(user_id || U&'\0001' || key) $$;

comment on function gnomon_data.key_hash(text, text) is 'The hash of a user''s key; no user id contains the separator.';
