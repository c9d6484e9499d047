create or replace function gnomon_data.default_channels() returns text[]
language sql stable
as $$
    select string_to_array(replace(gnomon_data.setting('default_channels',
        case when gnomon_data.setting('has_webhook') = 'true' then 'webhook' else 'log' end), ' ', ''), ',')
$$;

comment on function gnomon_data.default_channels() is
    'The channels of a request that names none, by itself or by its category: the setting, else webhook if an address is set, else log.';
