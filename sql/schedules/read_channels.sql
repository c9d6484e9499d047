create or replace function gnomon_data.read_channels(given jsonb, out channels text[], out fault gnomon_data.fault)
language plpgsql immutable parallel safe
as $$
declare
    known constant text[] := array['push', 'email', 'sms', 'inbox', 'webhook', 'log'];
    wrong record;
begin
    if given is null then
        return;
    end if;
    select e.value, e.ordinality - 1 as place into wrong
      from jsonb_array_elements(given) with ordinality as e
     where jsonb_typeof(e.value) <> 'string' or e.value #>> '{}' <> all (known) limit 1;
    if wrong.place is not null then
        fault := gnomon_data.field_fault(case jsonb_typeof(wrong.value) when 'string' then 'GN027' else 'GN024' end,
            '/channels/' || wrong.place, format('must be a channel, not %s', left(wrong.value::text, 64)),
            'known: ' || array_to_string(known, ', '));
        return;
    end if;
    select array_agg(e.value order by e.ordinality) into channels from jsonb_array_elements_text(given) with ordinality as e;
    if channels is null then
        fault := gnomon_data.field_fault('GN024', '/channels', 'must not be empty', 'leave it out for the default');
    elsif (select count(distinct c) from unnest(channels) as c) < cardinality(channels) then
        fault := gnomon_data.field_fault('GN024', '/channels', 'names a channel twice');
    end if;
end
$$;

comment on function gnomon_data.read_channels(jsonb) is 'The channels of a request; GN027 for an unknown one, GN024 for an empty list or a repeated one.';
