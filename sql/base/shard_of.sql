-- sha256 and not hashtext: what hashtext answers may change with a major version, and a user's shard is for ever.
create or replace function gnomon_data.shard_of(user_id text) returns smallint
language sql stable parallel safe
as $$ select (get_byte(sha256(convert_to(user_id, 'UTF8')), 0) & 63)::smallint $$;

comment on function gnomon_data.shard_of(text) is 'The shard, 0 to 63, in which everything of this user lives.';
