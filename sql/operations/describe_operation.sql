create or replace function gnomon.describe_operation(operation_id text) returns gnomon.operation_details
language plpgsql stable security definer set search_path = ''
as $$
declare
    known_id constant uuid := gnomon_data.id_of('op', operation_id);
    found constant gnomon.operation := gnomon.find_operation(operation_id);
    refused_count constant bigint := (select coalesce(sum(r.refused_count), 0) from gnomon_data.mass_refusals as r where r.operation_id = known_id);
begin
    return row(found.operation_id, found.kind, found.scope, found.name, found.value, found.status, found.swept_count, found.walked,
        found.created_at_utc, found.done_at_utc, (select o.change from gnomon_data.operations as o where o.id = known_id), refused_count,
        coalesce((select jsonb_agg(e.value) from (
            select x.value from (select r.examples from gnomon_data.mass_refusals as r where r.operation_id = known_id limit 5) as r
             cross join lateral jsonb_array_elements(r.examples) as x limit 5) as e), '[]'))::gnomon.operation_details;
end
$$;

comment on function gnomon.describe_operation(text) is
    'A mass operation, how far its sweep has come, and of a reschedule its change and what did not take it; GN020 for an unknown id.';
revoke all on function gnomon.describe_operation(text) from public;
grant execute on function gnomon.describe_operation(text) to gnomon_caller, gnomon_reader;
