-- What nobody has gone on with for a month nobody will: a file that was changed since is another one.
create or replace function gnomon.end_import(file_digest bytea) returns void
language sql volatile security definer set search_path = ''
as $$
    with ended as (
        delete from gnomon_data.import_streams as s
         where s.file_digest = end_import.file_digest or s.moved_at_utc < gnomon_data.now_utc() - interval '30 days'
     returning s.file_digest
    )
    delete from gnomon_data.import_faults as f
     where f.file_digest = end_import.file_digest or f.file_digest in (select e.file_digest from ended as e)
$$;

comment on function gnomon.end_import(bytea) is 'Forgets the places of an import that is through, and of those that nobody went on with for 30 days.';
revoke all on function gnomon.end_import(bytea) from public;
grant execute on function gnomon.end_import(bytea) to gnomon_caller;
