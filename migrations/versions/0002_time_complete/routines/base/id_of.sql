-- An id of another kind, or no id at all, is an id that does not exist: the same answer as for one that was never given,
-- since the caller's mistake is the same.
create or replace function gnomon_data.id_of(prefix text, given text) returns uuid
language plpgsql immutable parallel safe
as $$
declare
    a constant text := '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
    body text;
    bits bit(130) := repeat('0', 130)::bit(130);
begin
    if given is null or given !~ ('^' || prefix || '_[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$') then
        perform gnomon_data.fail('GN020', format('no %s has the id %s',
                case prefix when 'sch' then 'schedule' when 'ntf' then 'notification' when 'dlv' then 'delivery' when 'op' then 'operation' else 'object' end,
                coalesce(quote_literal(left(given, 64)), 'null')),
            format('ids look like %s_ and 26 characters of Crockford base32', prefix));
    end if;
    body := upper(substr(given, length(prefix) + 2));
    for n in 1..26 loop
        bits := (bits << 5) | ((strpos(a, substr(body, n, 1)) - 1)::bit(130));
    end loop;
    return lpad(encode(substring(varbit_send(substring(bits from 3 for 128)) from 5), 'hex'), 32, '0')::uuid;
end
$$;

comment on function gnomon_data.id_of(text, text) is 'The id behind a public text of that prefix; GN020 when it is none. Reads either case.';
