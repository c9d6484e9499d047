create or replace function gnomon.schedule_many(requests jsonb) returns setof gnomon.scheduled_item
language plpgsql volatile security definer set search_path = ''
as $$
begin
    if jsonb_typeof(requests) is distinct from 'array' then
        perform gnomon_data.fail('GN024', 'requests must be a JSON array of schedule requests');
    elsif jsonb_array_length(requests) > 10000 then
        perform gnomon_data.fail('GN024', format('requests must not have more than 10,000 items, it has %s', jsonb_array_length(requests)),
            'send several calls');
    end if;
    return query select a.* from gnomon_data.accept(requests) as a;
end
$$;

comment on function gnomon.schedule_many(jsonb) is
    'Schedules up to 10,000 requests in one call; one row an item in order. A bad item has error_code and spoils no other.';
revoke all on function gnomon.schedule_many(jsonb) from public;
grant execute on function gnomon.schedule_many(jsonb) to gnomon_caller;
