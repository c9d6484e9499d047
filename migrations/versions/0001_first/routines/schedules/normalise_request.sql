-- Aliases to canonical names, nulls away (null means absent), unknown names and two names for one thing refused. What
-- comes out is what the request hash is made of, so that the same request in other words is the same request.
create or replace function gnomon_data.normalise_request(request jsonb, out normalised jsonb, out fault gnomon_data.fault)
language plpgsql immutable parallel safe
as $$
declare
    given record;
begin
    if jsonb_typeof(request) is distinct from 'object' then
        fault := gnomon_data.field_fault('GN024', '', 'must be a JSON object');
        return;
    end if;
    -- Nearly every request is canonical already, and this is the hot path of a bulk load.
    if request - gnomon_data.field_names('built') = '{}' and not jsonb_path_exists(request, '$.* ? (@ == null)') then
        normalised := case when request ? 'recurrence' then request || jsonb_build_object('recurrence', jsonb_strip_nulls(request -> 'recurrence'))
                           else request end;
        return;
    end if;
    normalised := '{}';
    for given in
        select e.key as name, e.value, f.field, f.is_built
          from jsonb_each(request) as e
          left join gnomon_data.request_fields() as f on e.key in (f.field, f.alias)
         where e.value <> 'null'
         order by e.key
    loop
        if given.field is null then
            fault := gnomon_data.field_fault('GN024', '/' || replace(replace(given.name, '~', '~0'), '/', '~1'), 'is no field of a schedule request',
                'known: ' || (select string_agg(f.field, ', ') from gnomon_data.request_fields() as f where f.is_built));
        elsif not given.is_built then
            fault := gnomon_data.field_fault('GN028', '/' || given.name, 'is not available in this version');
        elsif normalised ? given.field then
            fault := gnomon_data.field_fault('GN024', '/' || given.name,
                format('and its other name are both given: %s', given.field), 'give one of them');
        end if;
        if (fault).code is not null then
            normalised := null;
            return;
        end if;
        normalised := normalised || jsonb_build_object(given.field,
            case when given.field = 'recurrence' then jsonb_strip_nulls(given.value) else given.value end);
    end loop;
end
$$;

comment on function gnomon_data.normalise_request(jsonb) is
    'A request with canonical names and without nulls; GN024 for what is unknown, GN028 for what is not built.';
