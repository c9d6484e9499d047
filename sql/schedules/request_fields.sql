-- The one table of the request's fields. What the contract names and this version has not built is refused by name, never
-- accepted and ignored.
create or replace function gnomon_data.request_fields()
returns table (field text, alias text, json_type text, is_built boolean, says_when boolean)
language sql immutable parallel safe
as $$
    values ('user_id', null, 'string', true, false),
           ('template_id', 'template', 'string', true, false),
           ('schedule_type', null, 'string', true, true),
           ('schedule_at', 'send_at', 'string', true, true),
           ('schedule_date', null, 'string', true, true),
           ('timezone', null, 'string', true, true),
           ('offset', null, 'string', true, true),
           ('channels', null, 'array', true, false),
           ('params', 'variables', 'object', true, false),
           ('category', null, 'string', true, false),
           ('lane', 'priority', 'string', true, false),
           ('dedup_key', 'idempotency_key', 'string', true, false),
           ('key', null, 'string', true, false),
           ('recurrence', null, 'object', true, true),
           ('window', null, 'string', true, true),
           ('expires_at', null, 'string', true, true),
           ('expires_in', null, 'string', true, true),
           ('collapse_key', null, 'string', false, false),
           ('if_past', null, 'string', true, true),
           ('on_gap', null, 'string', true, true),
           ('on_overlap', null, 'string', true, true),
           ('misfire', null, 'string', true, true),
           ('misfire_limit', null, 'number', true, true),
           ('max_lateness', null, 'string', true, true),
           ('condition', null, 'object', false, false),
           ('labels', null, 'object', true, false)
$$;

comment on function gnomon_data.request_fields() is
    'Every field of a schedule request: alias, JSON type, whether this version has built it, whether it says when.';
