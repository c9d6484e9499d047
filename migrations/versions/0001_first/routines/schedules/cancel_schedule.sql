create or replace function gnomon.cancel_schedule(schedule_id text) returns gnomon.cancelled
language plpgsql volatile security definer set search_path = ''
as $$
declare
    id constant uuid := gnomon_data.id_of('sch', schedule_id);
begin
    return gnomon_data.cancel(gnomon_data.shard_of_id(id), id);
end
$$;

comment on function gnomon.cancel_schedule(text) is
    'Cancels, in the caller''s transaction. Once a cancel that answered cancelled has committed nothing of it is handed over; fired with was_fired tells that it came too late for the current occurrence. GN020 for an unknown id. Over the rows of a query: decide which in a materialized CTE first, since a planner may call it before a filter.';
revoke all on function gnomon.cancel_schedule(text) from public;
grant execute on function gnomon.cancel_schedule(text) to gnomon_caller;
