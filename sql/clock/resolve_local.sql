create or replace function gnomon.resolve_local(
    on_date date, local_time time, time_zone text, on_gap text default 'next_valid', on_overlap text default 'first',
    out at_utc timestamptz, out kind text)
language plpgsql stable security definer set search_path = ''
as $$
begin
    -- As text they pass the readers of requests, which refuse 24:00 and fractions, infinity and null. Years BC apart, since
    -- to_char leaves the BC out.
    perform gnomon_data.raise_fault(f.fault) from gnomon_data.read_date(
        coalesce(case when on_date >= date '0001-01-01' then to_char(on_date, 'YYYY-MM-DD') end, on_date::text, ''), '/on_date') as f;
    perform gnomon_data.raise_fault(f.fault) from gnomon_data.read_local_time(coalesce(local_time::text, ''), '/local_time') as f;
    perform gnomon_data.raise_fault(coalesce(
        gnomon_data.zone_fault(time_zone),
        gnomon_data.word_fault(jsonb_build_object('on_gap', on_gap), 'on_gap', array['next_valid', 'skip']),
        gnomon_data.word_fault(jsonb_build_object('on_overlap', on_overlap), 'on_overlap', array['first', 'second'])));
    select i.at_utc, i.kind into at_utc, kind
      from gnomon_data.instant_of(on_date + local_time, time_zone, on_gap, on_overlap) as i;
end
$$;

comment on function gnomon.resolve_local(date, time, text, text, text) is
    'The instant at which the zone''s clock first reads this date and time or later; kind exact, gap or overlap. on_gap skip: null in a gap; on_overlap second: the second pass. GN010, GN013, GN014, GN024.';
revoke all on function gnomon.resolve_local(date, time, text, text, text) from public;
grant execute on function gnomon.resolve_local(date, time, text, text, text) to gnomon_caller, gnomon_reader;
