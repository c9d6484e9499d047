create or replace function gnomon_data.request_fault(n jsonb) returns gnomon_data.fault
language plpgsql stable
as $$
declare
    fault gnomon_data.fault;
    params_size constant int := octet_length((n -> 'params')::text);
begin
    fault := gnomon_data.type_fault(n, '', 'string', array['user_id', 'template_id', 'timezone', 'category', 'lane', 'dedup_key', 'key', 'window',
        'expires_at', 'expires_in', 'if_past', 'misfire', 'max_lateness']);
    if (fault).code is null then
        fault := gnomon_data.type_fault(n, '', 'object', array['params', 'labels', 'recurrence']);
    end if;
    if (fault).code is null then
        fault := gnomon_data.type_fault(n, '', 'array', array['channels']);
    end if;
    if (fault).code is null then
        fault := gnomon_data.text_fault(n, 'user_id', true);
    end if;
    if (fault).code is null then
        fault := gnomon_data.text_fault(n, 'template_id', true);
    end if;
    if (fault).code is null then
        fault := gnomon_data.text_fault(n, 'dedup_key', false);
    end if;
    if (fault).code is null then
        fault := gnomon_data.text_fault(n, 'key', false);
    end if;
    if (fault).code is null then
        fault := gnomon_data.word_fault(n, 'lane', array['critical', 'transactional', 'bulk']);
    end if;
    if (fault).code is null then
        fault := gnomon_data.word_fault(n, 'if_past', array['next', 'now', 'skip', 'reject']);
    end if;
    if (fault).code is null then
        fault := gnomon_data.word_fault(n, 'misfire', array['fire_once', 'skip', 'catch_up']);
    end if;
    if (fault).code is null and params_size > 65536 then
        fault := gnomon_data.field_fault('GN024', '/params', format('must not be larger than 64 KB, it has %s bytes', params_size),
            'send a reference and let the receiver look it up');
    end if;
    if (fault).code is null then
        fault := gnomon_data.labels_fault(n -> 'labels');
    end if;
    return fault;
end
$$;

comment on function gnomon_data.request_fault(jsonb) is 'The first fault of a normalised request in types, lengths and words.';
