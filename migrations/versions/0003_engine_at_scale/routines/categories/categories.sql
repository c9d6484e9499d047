create or replace function gnomon.categories() returns setof gnomon.category
language sql stable security definer set search_path = ''
as $$
    select c.name, gnomon_data.lane_name(c.lane), c.channels, c.expires_for, c.description, c.changed_at_utc
      from gnomon_data.categories as c where c.dropped_at_utc is null order by c.name
$$;

comment on function gnomon.categories() is 'The categories that a request may name, by name.';
revoke all on function gnomon.categories() from public;
grant execute on function gnomon.categories() to gnomon_caller, gnomon_reader;
