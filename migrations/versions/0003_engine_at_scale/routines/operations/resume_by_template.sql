create or replace function gnomon.resume_by_template(template_id text) returns gnomon.operation
language plpgsql volatile security definer set search_path = ''
as $$
begin
    perform gnomon_data.raise_fault(gnomon_data.target_fault(template_id, '/template_id'));
    return gnomon_data.begin_pause('resume', 'template', null, template_id);
end
$$;

comment on function gnomon.resume_by_template(text) is
    'Lets everything of this template go on that was accepted before, in the caller''s transaction, whether it was paused alone or with many. What is paused already goes on when the sweep comes to it; what is overdue then is a misfire. GN024; 55P03 when another pause or resume of many stays open for 5 s.';
revoke all on function gnomon.resume_by_template(text) from public;
grant execute on function gnomon.resume_by_template(text) to gnomon_caller;
