-- For consumers in any language: an array of objects. Checked by hand, since a misspelt field must not be ignored.
create or replace function gnomon.settle_deliveries(outcomes jsonb) returns int
language plpgsql volatile security definer set search_path = ''
as $$
declare
    given record;
    read gnomon.delivery_outcome[] := '{}';
    wait record;
begin
    if jsonb_typeof(outcomes) is distinct from 'array' then
        perform gnomon_data.fail('GN024', 'outcomes must be an array of objects',
            'each {"delivery_id": ..., "claim_id": ..., "outcome": "sent"}');
    elsif jsonb_array_length(outcomes) > 1000 then
        perform gnomon_data.fail('GN024', format('outcomes must not have more than 1,000 items, it has %s', jsonb_array_length(outcomes)),
            'a claim hands over no more either');
    end if;
    for given in select o.value, (o.ordinality - 1)::text as place from jsonb_array_elements(outcomes) with ordinality as o loop
        if jsonb_typeof(given.value) <> 'object' then
            perform gnomon_data.fail('GN024', 'an outcome must be an object', pointer => '/' || given.place);
        end if;
        if exists (select from jsonb_each(given.value) as f
                    where f.key not in ('delivery_id', 'claim_id', 'outcome', 'provider_reference', 'detail', 'retry_after')
                       or jsonb_typeof(f.value) not in ('string', 'null')) then
            perform gnomon_data.fail('GN024', 'an outcome has a field that is unknown or no text',
                'delivery_id, claim_id, outcome, provider_reference, detail, retry_after, all text', '/' || given.place);
        end if;
        if (given.value ->> 'outcome') is null or given.value ->> 'outcome' <> all (gnomon_data.outcome_words()) then
            perform gnomon_data.fail('GN024', 'outcome must be sent, retry, failed or unknown, or say why',
                'one of: ' || array_to_string(gnomon_data.outcome_words(), ', '), format('/%s/outcome', given.place));
        end if;
        if not pg_input_is_valid(coalesce(given.value ->> 'claim_id', ''), 'uuid') then
            perform gnomon_data.fail('GN024', 'claim_id must be the uuid that the claim gave', pointer => format('/%s/claim_id', given.place));
        end if;
        select r.* into wait from gnomon_data.read_duration(given.value ->> 'retry_after', format('/%s/retry_after', given.place)) as r;
        perform gnomon_data.raise_fault(wait.fault);
        read := read || row(given.value ->> 'delivery_id', given.value ->> 'claim_id', given.value ->> 'outcome',
            given.value ->> 'provider_reference', given.value ->> 'detail', wait.duration)::gnomon.delivery_outcome;
    end loop;
    return (select s.settled_count from gnomon_data.settle_outcomes(read, true) as s);
end
$$;

comment on function gnomon.settle_deliveries(jsonb) is
    'Settles claimed deliveries: an array of {delivery_id, claim_id, outcome, provider_reference, detail, retry_after}; how many were still the caller''s.';
revoke all on function gnomon.settle_deliveries(jsonb) from public;
grant execute on function gnomon.settle_deliveries(jsonb) to gnomon_worker;
