create or replace function gnomon.pending_count(user_id text) returns bigint
language sql volatile security definer set search_path = ''
as $$ select count(*) from gnomon_data.pending_of_user(user_id) $$;

comment on function gnomon.pending_count(text) is 'How many schedules of a user are pending.';
revoke all on function gnomon.pending_count(text) from public;
grant execute on function gnomon.pending_count(text) to gnomon_caller, gnomon_reader;
