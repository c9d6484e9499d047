-- The one table of a category's fields. What the contract names and this version has not built is refused by name, never
-- stored and ignored.
create or replace function gnomon_data.category_fields() returns table (field text, json_type text, is_built boolean)
language sql immutable parallel safe
as $$
    values ('lane', 'string', true),
           ('channels', 'array', true),
           ('expires_in', 'string', true),
           ('description', 'string', true),
           ('mandatory', 'boolean', false),
           ('retry', 'object', false),
           ('delivery', 'string', false),
           ('one_time_code', 'boolean', false),
           ('provider_ttl', 'string', false),
           ('fallback_channel', 'string', false)
$$;

comment on function gnomon_data.category_fields() is
    'Every field of a category: JSON type, whether this version has built it. delivery: at_least_once or at_most_once.';
