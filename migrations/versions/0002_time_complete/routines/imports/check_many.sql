-- Read and placed as schedule_many does it, by the same routines. What only the keys of others could say (GN022, a course that
-- has reached its end) is not known here.
create or replace function gnomon.check_many(requests jsonb) returns setof gnomon.checked_item
language plpgsql volatile security definer set search_path = ''
as $$
begin
    if jsonb_typeof(requests) is distinct from 'array' or jsonb_array_length(requests) > 10000 then
        perform gnomon_data.fail('GN024', 'requests must be a JSON array of at most 10,000 schedule requests');
    end if;
    return query
        select d.ordinal, f.code, f.message, f.hint, f.pointer
          from unnest(gnomon_data.read_drafts(requests, gnomon_data.now_utc())) as d
         cross join lateral (select (x.fault).* from (select case when (d.fault).code is null then d.place_fault else d.fault end as fault) as x) as f
         order by d.ordinal;
end
$$;

comment on function gnomon.check_many(jsonb) is
    'What schedule_many would refuse in up to 10,000 requests by their words, zones and instants, without scheduling anything. Keys are not looked at.';
revoke all on function gnomon.check_many(jsonb) from public;
grant execute on function gnomon.check_many(jsonb) to gnomon_caller;
