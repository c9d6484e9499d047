create or replace function gnomon.pause_by_template(template_id text) returns gnomon.operation
language plpgsql volatile security definer set search_path = ''
as $$
begin
    perform gnomon_data.raise_fault(gnomon_data.target_fault(template_id, '/template_id'));
    return gnomon_data.begin_pause('pause', 'template', null, template_id);
end
$$;

comment on function gnomon.pause_by_template(text) is
    'Pauses everything of this template that was accepted before, in the caller''s transaction: from its commit on nothing of it fires that is due later than the look-ahead of 2 s; what is accepted later is not meant. Swept in the background. GN024; 55P03 when another pause or resume of many stays open for 5 s.';
revoke all on function gnomon.pause_by_template(text) from public;
grant execute on function gnomon.pause_by_template(text) to gnomon_caller;
