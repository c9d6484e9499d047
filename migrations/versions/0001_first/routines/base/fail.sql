create or replace function gnomon_data.fail(code text, message text, hint text default null, pointer text default null) returns void
language plpgsql immutable
as $$
begin
    perform gnomon_data.raise_fault(row(code, message, hint, pointer)::gnomon_data.fault);
end
$$;

comment on function gnomon_data.fail(text, text, text, text) is
    'Raises an error of the contract; code is one of gnomon_data.error_codes().';
