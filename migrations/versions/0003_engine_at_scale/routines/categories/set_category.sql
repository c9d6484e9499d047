-- Nothing that is pending is rewritten: what fires from the commit on has the new channels and expiry, what is accepted from
-- then on the new lane. One that was dropped is back.
create or replace function gnomon.set_category(name text, settings jsonb default '{}') returns gnomon.category
language plpgsql volatile security definer set search_path = ''
as $$
declare
    given record;
begin
    perform gnomon_data.raise_fault(gnomon_data.category_name_fault(name, '/name'));
    given := gnomon_data.read_category(settings);
    perform gnomon_data.raise_fault(given.fault);
    insert into gnomon_data.categories as c (name, lane, channels, expires_for, description, changed_at_utc)
    values (set_category.name, (given.read).lane, (given.read).channels, (given.read).expires_for, (given.read).description, gnomon_data.now_utc())
    on conflict on constraint categories_pkey do update
       set lane = excluded.lane, channels = excluded.channels, expires_for = excluded.expires_for, description = excluded.description,
           changed_at_utc = excluded.changed_at_utc, dropped_at_utc = null
     where (c.lane, c.channels, c.expires_for, c.description, c.dropped_at_utc) is distinct from
           (excluded.lane, excluded.channels, excluded.expires_for, excluded.description, null);
    return gnomon.find_category(name);
end
$$;

comment on function gnomon.set_category(text, jsonb) is
    'Makes or replaces a category: lane, channels, expires_in, description; what settings does not name has its default. Pending schedules keep their lane and have the new channels and expiry from the next fire on. GN024, GN027, GN028.';
revoke all on function gnomon.set_category(text, jsonb) from public;
grant execute on function gnomon.set_category(text, jsonb) to gnomon_admin;
