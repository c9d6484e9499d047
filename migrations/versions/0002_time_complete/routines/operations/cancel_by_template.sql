create or replace function gnomon.cancel_by_template(template_id text) returns gnomon.operation
language plpgsql volatile security definer set search_path = ''
as $$
begin
    perform gnomon_data.raise_fault(gnomon_data.target_fault(template_id, '/template_id'));
    return gnomon_data.begin_cancel('template', null, template_id);
end
$$;

comment on function gnomon.cancel_by_template(text) is
    'Cancels everything of this template that was accepted before, in the caller''s transaction: nothing of it is handed over once it has committed; what is accepted later lives. Swept in the background. GN024; 55P03 when claims stay open for 5 s.';
revoke all on function gnomon.cancel_by_template(text) from public;
grant execute on function gnomon.cancel_by_template(text) to gnomon_caller;
