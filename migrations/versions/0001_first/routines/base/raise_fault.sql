-- The pointer travels in the diagnostics field COLUMN: the one field that drivers hand over and nobody else fills.
create or replace function gnomon_data.raise_fault(fault gnomon_data.fault) returns void
language plpgsql immutable
as $$
begin
    if (fault).code is not null then
        raise exception using
            errcode = (fault).code,
            message = (fault).message,
            hint = coalesce((fault).hint, ''),
            column = coalesce((fault).pointer, '');
    end if;
end
$$;

comment on function gnomon_data.raise_fault(gnomon_data.fault) is 'Raises a fault; does nothing for null.';
