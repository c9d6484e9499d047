-- From the caller's own table, every night if he likes: a user that has not changed costs one look. In user order, so that
-- two of these at once do not deadlock.
create or replace function gnomon.set_users(users jsonb) returns setof gnomon.user_item
language plpgsql volatile security definer set search_path = ''
as $$
declare
    given record;
    fault gnomon_data.fault;
    written gnomon.user_set;
    items gnomon.user_item[] := '{}';
begin
    if jsonb_typeof(users) is distinct from 'array' then
        perform gnomon_data.fail('GN024', 'users must be a JSON array', 'each {"user_id": ..., "time_zone": ..., "locale": ...}');
    elsif jsonb_array_length(users) > 10000 then
        perform gnomon_data.fail('GN024', format('users must not have more than 10,000 items, it has %s', jsonb_array_length(users)));
    end if;
    for given in
        select e.value, e.ordinality::int as ordinal from jsonb_array_elements(users) with ordinality as e
         order by e.value ->> 'user_id', e.ordinality
    loop
        fault := gnomon_data.user_item_fault(given.value);
        if (fault).code is null then
            written := gnomon_data.write_user(given.value ->> 'user_id', coalesce(given.value ->> 'time_zone', given.value ->> 'timezone'),
                given.value ->> 'locale');
            items := items || row(given.ordinal, written.user_id, written.moved_count, null, null, null)::gnomon.user_item;
        else
            items := items || row(given.ordinal, case jsonb_typeof(given.value) when 'object' then given.value ->> 'user_id' end, 0,
                (fault).code, (fault).message, (fault).hint)::gnomon.user_item;
        end if;
    end loop;
    return query select i.* from unnest(items) as i order by i.ordinal;
end
$$;

comment on function gnomon.set_users(jsonb) is
    'Tells up to 10,000 users: an array of {user_id, time_zone, locale}; one row an item in order. A bad item spoils no other.';
revoke all on function gnomon.set_users(jsonb) from public;
grant execute on function gnomon.set_users(jsonb) to gnomon_caller;
