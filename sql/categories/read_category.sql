-- settings as a PUT has them: the whole category. null means absent, and what is absent has its default.
create or replace function gnomon_data.read_category(settings jsonb, out read gnomon_data.categories, out fault gnomon_data.fault)
language plpgsql immutable
as $$
declare
    n constant jsonb := jsonb_strip_nulls(settings);
    wrong record;
    part record;
begin
    if jsonb_typeof(settings) is distinct from 'object' then
        fault := gnomon_data.field_fault('GN024', '', 'must be a JSON object');
        return;
    end if;
    select e.key, f.field into wrong from jsonb_each(n) as e left join gnomon_data.category_fields() as f on f.field = e.key
     where f.is_built is not true order by f.field is not null, e.key limit 1;
    if wrong.field is not null then
        fault := gnomon_data.field_fault('GN028', '/' || wrong.field, 'is not available in this version');
    elsif wrong.key is not null then
        fault := gnomon_data.field_fault('GN024', '/' || replace(replace(wrong.key, '~', '~0'), '/', '~1'), 'is no field of a category',
            'known: ' || (select string_agg(f.field, ', ') from gnomon_data.category_fields() as f where f.is_built));
    end if;
    if (fault).code is null then
        fault := gnomon_data.type_fault(n, '', 'string', array['lane', 'expires_in', 'description']);
    end if;
    if (fault).code is null then
        fault := gnomon_data.type_fault(n, '', 'array', array['channels']);
    end if;
    if (fault).code is null then
        fault := gnomon_data.word_fault(n, 'lane', array['critical', 'transactional', 'bulk']);
    end if;
    if (fault).code is null then
        fault := gnomon_data.text_fault(n, 'description', false);
    end if;
    if (fault).code is null then
        read.lane := gnomon_data.lane_of(coalesce(n ->> 'lane', 'transactional'));
        read.description := n ->> 'description';
        part := gnomon_data.read_channels(n -> 'channels');
        read.channels := part.channels;
        fault := part.fault;
    end if;
    if (fault).code is null then
        part := gnomon_data.read_duration(n ->> 'expires_in', '/expires_in');
        read.expires_for := part.duration;
        fault := part.fault;
    end if;
    if (fault).code is null and read.expires_for = interval '0' then
        fault := gnomon_data.field_fault('GN024', '/expires_in', 'must be longer than nothing');
    end if;
end
$$;

comment on function gnomon_data.read_category(jsonb) is
    'The settings of a category read, or their fault: GN024, GN027 for an unknown channel, GN028 for what is not built.';
