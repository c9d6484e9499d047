create or replace function gnomon.find_operation(operation_id text) returns gnomon.operation
language plpgsql stable security definer set search_path = ''
as $$
declare
    found constant gnomon.operation := gnomon_data.operation_of(gnomon_data.id_of('op', operation_id));
begin
    if found.operation_id is null then
        perform gnomon_data.fail('GN020', format('no operation has the id %L', operation_id), 'operations are kept for 7 days after their end');
    end if;
    return found;
end
$$;

comment on function gnomon.find_operation(text) is 'A mass operation and how far its sweep has come; GN020 for an unknown id.';
revoke all on function gnomon.find_operation(text) from public;
grant execute on function gnomon.find_operation(text) to gnomon_caller, gnomon_reader;
