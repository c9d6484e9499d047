create or replace function gnomon_data.write_user(user_id text, time_zone text, locale text) returns gnomon.user_set
language plpgsql volatile
as $$
declare
    home constant smallint := gnomon_data.shard_of(user_id);
    known gnomon_data.users;
    moved record;
    answer gnomon.user_set;
begin
    insert into gnomon_data.users as u (shard, user_id, time_zone, locale) values (home, write_user.user_id, write_user.time_zone, write_user.locale)
    on conflict on constraint users_pkey do update
       set time_zone = coalesce(excluded.time_zone, u.time_zone), locale = coalesce(excluded.locale, u.locale)
     where (coalesce(excluded.time_zone, u.time_zone), coalesce(excluded.locale, u.locale)) is distinct from (u.time_zone, u.locale);
    select u.* into known from gnomon_data.users as u where u.shard = home and u.user_id = write_user.user_id;
    answer := row(user_id, known.time_zone, known.locale, 0, 0);
    if write_user.time_zone is not null then
        select m.* into moved from gnomon_data.move_schedules(home, user_id, write_user.time_zone) as m;
        answer.moved_count := moved.moved_count;
        answer.pinned_count := moved.pinned_count;
    end if;
    return answer;
end
$$;

comment on function gnomon_data.write_user(text, text, text) is 'Writes a checked user and lets the schedules that follow the user move.';
