create or replace function gnomon_data.compile_misfire(n jsonb, out part jsonb, out fault gnomon_data.fault)
language plpgsql stable
as $$
declare
    policy constant text := coalesce(n ->> 'misfire', 'fire_once');
    most constant int := 100;
    late record;
begin
    part := '{}';
    if not n ?| array['misfire', 'misfire_limit', 'max_lateness'] then
        return;
    end if;
    if n ? 'misfire_limit' and policy <> 'catch_up' then
        fault := gnomon_data.field_fault('GN024', '/misfire_limit', format('goes with misfire catch_up, not %s', policy));
    elsif n ? 'misfire_limit' and (jsonb_typeof(n -> 'misfire_limit') <> 'number' or (n ->> 'misfire_limit') !~ '^[0-9]{1,3}$'
            or (n ->> 'misfire_limit')::int not between 1 and most) then
        fault := gnomon_data.field_fault('GN024', '/misfire_limit', format('must be a whole number from 1 to %s', most));
    else
        late := gnomon_data.read_duration(n ->> 'max_lateness', '/max_lateness');
        fault := case when late.duration < interval '1 s'
            then gnomon_data.field_fault('GN024', '/max_lateness', 'must be at least PT1S', 'no poller is there to the millisecond')
            else late.fault end;
    end if;
    if fault.code is not null then
        return;
    end if;
    part := jsonb_strip_nulls(jsonb_build_object('misfire', nullif(policy, 'fire_once'),
        'limit', case when policy = 'catch_up' then coalesce((n ->> 'misfire_limit')::int, 10) end,
        'late', trim_scale(extract(epoch from coalesce(late.duration, case when policy = 'skip' then interval '60 s' end)))));
end
$$;

comment on function gnomon_data.compile_misfire(jsonb) is
    'misfire, misfire_limit and max_lateness of a normalised request as keys of the compiled rule, or their fault.';
