create or replace function gnomon_data.category_fault(name text, was_dropped boolean) returns gnomon_data.fault
language plpgsql stable
as $$
begin
    return gnomon_data.field_fault('GN024', '/category', case when was_dropped then 'has been dropped: ' else 'is not known: ' end || gnomon_data.quoted(name),
        concat('known: ', coalesce((select string_agg(k.name, ', ' order by k.name) from
                   (select c.name from gnomon_data.categories as c where c.dropped_at_utc is null order by c.name limit 20) as k), 'none'),
            '. Make it with gnomon.set_category, PUT /v1/categories/{name} or gnomon categories set'));
end
$$;

comment on function gnomon_data.category_fault(text, boolean) is 'GN024 for a category that a request may not name, with those that it may and how one is made.';
