create or replace function gnomon.cancel_by_label(name text, value text) returns gnomon.operation
language plpgsql volatile security definer set search_path = ''
as $$
begin
    perform gnomon_data.raise_fault(coalesce(gnomon_data.target_fault(name, '/label/name'), gnomon_data.target_fault(value, '/label/value')));
    return gnomon_data.begin_cancel('label', name, value);
end
$$;

comment on function gnomon.cancel_by_label(text, text) is
    'Cancels everything with this label that was accepted before, in the caller''s transaction: nothing of it is handed over once it has committed; what is accepted later lives. Swept in the background. GN024; 55P03 when claims stay open for 5 s.';
revoke all on function gnomon.cancel_by_label(text, text) from public;
grant execute on function gnomon.cancel_by_label(text, text) to gnomon_caller;
