create or replace function gnomon_data.read_change(change jsonb) returns jsonb
language plpgsql immutable
as $$
declare
    canonical jsonb := '{}';
    given record;
begin
    if jsonb_typeof(change) is distinct from 'object' then
        perform gnomon_data.fail('GN024', 'a change must be a JSON object');
    end if;
    for given in
        select e.key as name, e.value, f.field, f.is_built from jsonb_each(change) as e
          left join gnomon_data.request_fields() as f on e.key in (f.field, f.alias)
    loop
        if given.field is null then
            perform gnomon_data.fail('GN024', format('%s is no field of a schedule request', given.name), pointer => '/' || given.name);
        elsif not given.is_built and given.value <> 'null' then
            perform gnomon_data.fail('GN028', format('%s is not available in this version', given.name), pointer => '/' || given.name);
        elsif given.field in ('user_id', 'dedup_key', 'key') then
            perform gnomon_data.fail('GN024', format('%s cannot change', given.name), 'cancel, and make a new schedule', '/' || given.name);
        elsif canonical ? given.field then
            perform gnomon_data.fail('GN024', format('%s and its other name are both given', given.field), pointer => '/' || given.name);
        end if;
        canonical := canonical || jsonb_build_object(given.field, given.value);
    end loop;
    -- Another time of another form brings its own type: the old type would contradict it.
    return case when canonical ? 'schedule_at' and not canonical ? 'schedule_type' then canonical || '{"schedule_type": null}' else canonical end;
end
$$;

comment on function gnomon_data.read_change(jsonb) is 'A change with canonical names; raises GN024 and GN028.';
