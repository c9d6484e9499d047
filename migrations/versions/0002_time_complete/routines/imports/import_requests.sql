-- The schedules and the place in the file are one transaction: killed at any moment, the import goes on at the line behind
-- the last one that counts. The row of the stream is locked first, so that two who import the same file take turns, and the
-- second finds done what the first has done.
create or replace function gnomon.import_requests(
    file_digest bytea, stream smallint, until_line bigint, lines bigint[], requests jsonb, refused jsonb default '[]')
returns gnomon.import_step
language plpgsql volatile security definer set search_path = ''
as $$
declare
    step gnomon.import_step := row(0, 0, 0);
    drafts gnomon_data.draft[];
    done_line bigint;
begin
    if jsonb_typeof(requests) is distinct from 'array' or jsonb_array_length(requests) <> cardinality(lines) then
        perform gnomon_data.fail('GN024', 'requests must be a JSON array with one schedule request a line');
    elsif jsonb_array_length(requests) > 10000 then
        perform gnomon_data.fail('GN024', format('requests must not have more than 10,000 items, it has %s', jsonb_array_length(requests)),
            'send several calls');
    end if;
    insert into gnomon_data.import_streams (file_digest, stream, done_line, moved_at_utc)
    values (import_requests.file_digest, import_requests.stream, 0, gnomon_data.now_utc()) on conflict do nothing;
    select s.done_line into done_line from gnomon_data.import_streams as s
     where s.file_digest = import_requests.file_digest and s.stream = import_requests.stream for update;
    if done_line >= until_line then
        return step;
    end if;
    -- What a killed run had sent is still carried out by its session: some of these lines may be done by now.
    if done_line >= lines[1] then
        select coalesce(jsonb_agg(e.request order by e.place), '[]'), coalesce(array_agg(lines[e.place] order by e.place), '{}')
          into requests, lines
          from jsonb_array_elements(requests) with ordinality as e (request, place) where lines[e.place] > done_line;
    end if;
    drafts := gnomon_data.accept_drafts(requests);
    insert into gnomon_data.import_faults (file_digest, line, error_code, error_detail, error_hint, error_pointer)
    select import_requests.file_digest, x.line, x.error_code, x.error_detail, x.error_hint, x.error_pointer
      from (select lines[d.ordinal] as line, (f.fault).code as error_code, (f.fault).message as error_detail,
                   (f.fault).hint as error_hint, (f.fault).pointer as error_pointer
              from unnest(drafts) as d
             cross join lateral (select case when d.same_as is null then d.fault else (drafts[d.same_as]).fault end as fault offset 0) as f
             where (f.fault).code is not null
            union all
            select r.line, r.error_code, r.error_detail, r.error_hint, r.error_pointer
              from jsonb_populate_recordset(null::gnomon.import_fault, refused) as r where r.line > done_line) as x
    on conflict do nothing;
    get diagnostics step.refused_count = row_count;
    select count(*), count(*) filter (where d.same_as is not null or d.is_duplicate)
      into step.accepted_count, step.repeated_count from unnest(drafts) as d where (d.fault).code is null
       and (d.same_as is null or (drafts[d.same_as].fault).code is null);
    step.accepted_count := step.accepted_count - step.repeated_count;
    update gnomon_data.import_streams as s
       set done_line = until_line, accepted_count = s.accepted_count + step.accepted_count,
           repeated_count = s.repeated_count + step.repeated_count, refused_count = s.refused_count + step.refused_count,
           moved_at_utc = gnomon_data.now_utc()
     where s.file_digest = import_requests.file_digest and s.stream = import_requests.stream;
    return step;
end
$$;

comment on function gnomon.import_requests(bytea, smallint, bigint, bigint[], jsonb, jsonb) is
    'Schedules the next lines of one stream of a file, up to 10,000, unless that was done: until_line is the last line that they reach to. refused: lines that are no request, as import_fault objects.';
revoke all on function gnomon.import_requests(bytea, smallint, bigint, bigint[], jsonb, jsonb) from public;
grant execute on function gnomon.import_requests(bytea, smallint, bigint, bigint[], jsonb, jsonb) to gnomon_caller;
