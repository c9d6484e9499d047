create or replace function gnomon.find_category(name text) returns setof gnomon.category
language sql stable security definer set search_path = ''
as $$
    select c.* from gnomon.categories() as c where c.name = find_category.name
$$;

comment on function gnomon.find_category(text) is 'A category; no row for one that is not known or was dropped.';
revoke all on function gnomon.find_category(text) from public;
grant execute on function gnomon.find_category(text) to gnomon_caller, gnomon_reader;
