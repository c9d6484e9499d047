create or replace function gnomon.cancel_schedule_by_key(user_id text, key text) returns gnomon.cancelled
language plpgsql volatile security definer set search_path = ''
as $$
declare
    home constant smallint := gnomon_data.shard_of(user_id);
    found_id uuid;
begin
    select k.schedule_id into found_id from gnomon_data.schedule_keys as k
     where k.shard = home and k.kind = 1 and k.key_hash = gnomon_data.key_hash(user_id, cancel_schedule_by_key.key) for update;
    if found_id is null then
        perform gnomon_data.fail('GN020', format('user %L has no schedule with the key %L', left(user_id, 64), left(key, 64)), pointer => '/key');
    end if;
    return gnomon_data.cancel(home, found_id);
end
$$;

comment on function gnomon.cancel_schedule_by_key(text, text) is
    'Cancels the current schedule of a user''s key, in the caller''s transaction; GN020 when there is none.';
revoke all on function gnomon.cancel_schedule_by_key(text, text) from public;
grant execute on function gnomon.cancel_schedule_by_key(text, text) to gnomon_caller;
