create or replace function gnomon_data.zone_of_user(shard smallint, user_id text, out time_zone text, out source text)
language plpgsql stable
as $$
begin
    select u.time_zone, 'user' into time_zone, source
      from gnomon_data.users as u where u.shard = zone_of_user.shard and u.user_id = zone_of_user.user_id and u.time_zone is not null;
    if time_zone is null then
        time_zone := gnomon_data.setting('default_time_zone');
        source := case when time_zone is not null then 'installation' end;
    end if;
end
$$;

comment on function gnomon_data.zone_of_user(smallint, text) is
    'The zone of a user and where it came from: user, installation, or both null when none is known.';
