create or replace function gnomon.reschedule_by_label(name text, value text, change jsonb) returns gnomon.operation
language plpgsql volatile security definer set search_path = ''
as $$
begin
    perform gnomon_data.raise_fault(coalesce(gnomon_data.target_fault(name, '/label/name'), gnomon_data.target_fault(value, '/label/value')));
    perform gnomon_data.raise_fault(gnomon_data.hopeless_fault(change));
    return gnomon_data.begin_pause('reschedule', 'label', name, value, change);
end
$$;

comment on function gnomon.reschedule_by_label(text, text, jsonb) is
    'Changes everything with this label that was accepted before, as gnomon.reschedule would at this instant, in the caller''s transaction: from its commit on nothing of it fires by the old plan; what is accepted later is not meant. Swept in the background; what does not take the change stays as it was and is counted (describe_operation). A change that no schedule could take is refused with the codes of gnomon.reschedule; 55P03 when another pause, resume or reschedule of many stays open for 5 s.';
revoke all on function gnomon.reschedule_by_label(text, text, jsonb) from public;
grant execute on function gnomon.reschedule_by_label(text, text, jsonb) to gnomon_caller;
