create or replace function gnomon.move_user(user_id text, time_zone text, out moved_count int, out pinned_count int)
language plpgsql volatile security definer set search_path = ''
as $$
declare
    written gnomon.user_set;
begin
    if time_zone is null then
        perform gnomon_data.fail('GN024', 'time_zone is required', pointer => '/timezone');
    end if;
    written := gnomon.set_user(move_user.user_id, move_user.time_zone);
    moved_count := written.moved_count;
    pinned_count := written.pinned_count;
end
$$;

comment on function gnomon.move_user(text, text) is
    'The user lives in another zone: what took its zone from the user moves, in this transaction; what named its own stays.';
revoke all on function gnomon.move_user(text, text) from public;
grant execute on function gnomon.move_user(text, text) to gnomon_caller;
