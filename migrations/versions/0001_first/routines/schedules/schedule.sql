create or replace function gnomon.schedule(request jsonb) returns gnomon.scheduled
language plpgsql volatile security definer set search_path = ''
as $$
declare
    item gnomon.scheduled_item;
begin
    select a.* into item from gnomon_data.accept(jsonb_build_array(request)) as a;
    perform gnomon_data.fail(item.error_code, item.error_detail, item.error_hint, item.error_pointer);
    return row(item.schedule_id, item.fire_at_utc, item.status, item.is_duplicate, item.time_zone, item.time_zone_source,
        item.resolution, item.if_past, item.version, item.warnings)::gnomon.scheduled;
end
$$;

comment on function gnomon.schedule(jsonb) is
    'Schedules a notification, in the caller''s transaction: select * from gnomon.schedule(...). The request is that of POST /v1/notifications/schedule. Raises SQLSTATE class GN.';
revoke all on function gnomon.schedule(jsonb) from public;
grant execute on function gnomon.schedule(jsonb) to gnomon_caller;
