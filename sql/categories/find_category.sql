create or replace function gnomon.find_category(name text) returns setof gnomon.category
language sql stable security definer set search_path = ''
as $$
    select c.name, gnomon_data.lane_name(c.lane), c.channels, c.expires_for, c.description, c.changed_at_utc
      from gnomon_data.categories as c where c.name = find_category.name and c.dropped_at_utc is null
$$;

comment on function gnomon.find_category(text) is 'A category; no row for one that is not known or was dropped.';
revoke all on function gnomon.find_category(text) from public;
grant execute on function gnomon.find_category(text) to gnomon_caller, gnomon_reader;
