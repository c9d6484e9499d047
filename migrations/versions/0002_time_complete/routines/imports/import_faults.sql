create or replace function gnomon.import_faults(file_digest bytea, after_line bigint default 0, at_most int default 1000)
returns setof gnomon.import_fault
language sql stable security definer set search_path = ''
as $$
    select f.line, f.error_code, f.error_detail, f.error_hint, f.error_pointer
      from gnomon_data.import_faults as f
     where f.file_digest = import_faults.file_digest and f.line > after_line order by f.line limit least(at_most, 10000)
$$;

comment on function gnomon.import_faults(bytea, bigint, int) is 'The refused lines of an import under way, in the order of the file.';
revoke all on function gnomon.import_faults(bytea, bigint, int) from public;
grant execute on function gnomon.import_faults(bytea, bigint, int) to gnomon_caller;
