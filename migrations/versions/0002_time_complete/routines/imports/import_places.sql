create or replace function gnomon.import_places(file_digest bytea) returns setof gnomon.import_place
language sql stable security definer set search_path = ''
as $$
    select s.stream, s.done_line, s.accepted_count, s.repeated_count, s.refused_count
      from gnomon_data.import_streams as s where s.file_digest = import_places.file_digest order by s.stream
$$;

comment on function gnomon.import_places(bytea) is 'How far an import is that was begun and is not through; no rows for any other.';
revoke all on function gnomon.import_places(bytea) from public;
grant execute on function gnomon.import_places(bytea) to gnomon_caller;
