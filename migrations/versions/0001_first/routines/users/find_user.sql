create or replace function gnomon.find_user(user_id text) returns setof gnomon.known_user
language sql stable security definer set search_path = ''
as $$
    select u.user_id, u.time_zone, u.locale from gnomon_data.users as u
     where u.shard = gnomon_data.shard_of(find_user.user_id) and u.user_id = find_user.user_id
$$;

comment on function gnomon.find_user(text) is 'What is known of a user; no row for one that was never told.';
revoke all on function gnomon.find_user(text) from public;
grant execute on function gnomon.find_user(text) to gnomon_caller, gnomon_reader;
