-- Strict: for the many that name no category it is not even called.
create or replace function gnomon_data.category_channels(name text) returns text[]
language plpgsql stable strict
as $$
begin
    return (select c.channels from gnomon_data.categories as c where c.name = category_channels.name);
end
$$;

comment on function gnomon_data.category_channels(text) is 'The channels of a category, dropped or not; null when it leaves them to the installation.';
