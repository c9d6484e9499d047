create or replace function gnomon.resume_by_label(name text, value text) returns gnomon.operation
language plpgsql volatile security definer set search_path = ''
as $$
begin
    perform gnomon_data.raise_fault(coalesce(gnomon_data.target_fault(name, '/label/name'), gnomon_data.target_fault(value, '/label/value')));
    return gnomon_data.begin_pause('resume', 'label', name, value);
end
$$;

comment on function gnomon.resume_by_label(text, text) is
    'Lets everything with this label go on that was accepted before, in the caller''s transaction, whether it was paused alone or with many. What is paused already goes on when the sweep comes to it; what is overdue then is a misfire. GN024; 55P03 when another pause or resume of many stays open for 5 s.';
revoke all on function gnomon.resume_by_label(text, text) from public;
grant execute on function gnomon.resume_by_label(text, text) to gnomon_caller;
