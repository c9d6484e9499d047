-- The rule of a preview is flat: the fields of a recurrence and those of the request beside it. Told apart here, so
-- that previews and schedules are compiled by the same code and can never differ.
create or replace function gnomon_data.compile_preview(rule jsonb) returns jsonb
language plpgsql stable parallel safe
as $$
declare
    beside constant text[] := array['schedule_at', 'on_gap', 'on_overlap', 'offset'];
    words constant jsonb := jsonb_strip_nulls(rule);
    request jsonb;
    compiled record;
    fault gnomon_data.fault;
begin
    if rule is null or jsonb_typeof(rule) <> 'object' then
        perform gnomon_data.fail('GN024', 'rule must be an object', 'such as {"pattern": "daily", "schedule_at": "09:00"}', '');
    end if;
    if words ? 'fired_count' and (jsonb_typeof(words->'fired_count') <> 'number' or words->>'fired_count' !~ '^[0-9]{1,9}$') then
        perform gnomon_data.fail('GN024', 'fired_count must be a whole number from 0, not ' || gnomon_data.quoted(words->>'fired_count'),
            pointer => '/fired_count');
    end if;
    select jsonb_object_agg(e.key, e.value) into request from jsonb_each(words) as e where e.key = any (beside);
    compiled := gnomon_data.compile_rule(
        coalesce(request, '{}') || jsonb_build_object('recurrence', words - beside - 'fired_count'));
    fault := compiled.fault;
    fault.pointer := regexp_replace(fault.pointer, '^/recurrence', '');
    perform gnomon_data.raise_fault(fault);
    return compiled.rule;
end
$$;

comment on function gnomon_data.compile_preview(jsonb) is 'Compiles the flat rule of a preview; raises what is wrong with it.';
