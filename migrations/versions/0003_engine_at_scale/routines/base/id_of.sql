-- An id of another kind, or no id at all, is an id that does not exist: the same answer as for one that was never given,
-- since the caller's mistake is the same. Written out, as id_text is: every outcome that a worker hands in names one.
create or replace function gnomon_data.id_of(prefix text, given text) returns uuid
language plpgsql immutable parallel safe
as $$
declare
    -- The value of each character from 0 to Z.
    t constant bytea := '\x00010203040506070809000000000000000a0b0c0d0e0f101100121300141500161718191a001b1c1d1e1f';
    b bytea;
    hi bigint;
    lo bigint;
begin
    if given is null or given !~ ('^' || prefix || '_[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$') then
        perform gnomon_data.fail('GN020', format('no %s has the id %s',
                case prefix when 'sch' then 'schedule' when 'ntf' then 'notification' when 'dlv' then 'delivery' when 'op' then 'operation' else 'object' end,
                coalesce(quote_literal(left(given, 64)), 'null')),
            format('ids look like %s_ and 26 characters of Crockford base32', prefix));
    end if;
    b := convert_to(upper(right(given, 26)), 'UTF8');
    hi :=
          (get_byte(t, get_byte(b, 0) - 48)::bigint << 61) | (get_byte(t, get_byte(b, 1) - 48)::bigint << 56)
        | (get_byte(t, get_byte(b, 2) - 48)::bigint << 51) | (get_byte(t, get_byte(b, 3) - 48)::bigint << 46)
        | (get_byte(t, get_byte(b, 4) - 48)::bigint << 41) | (get_byte(t, get_byte(b, 5) - 48)::bigint << 36)
        | (get_byte(t, get_byte(b, 6) - 48)::bigint << 31) | (get_byte(t, get_byte(b, 7) - 48)::bigint << 26)
        | (get_byte(t, get_byte(b, 8) - 48)::bigint << 21) | (get_byte(t, get_byte(b, 9) - 48)::bigint << 16)
        | (get_byte(t, get_byte(b, 10) - 48)::bigint << 11) | (get_byte(t, get_byte(b, 11) - 48)::bigint << 6)
        | (get_byte(t, get_byte(b, 12) - 48)::bigint << 1) | (get_byte(t, get_byte(b, 13) - 48)::bigint >> 4);
    lo :=
          (get_byte(t, get_byte(b, 13) - 48)::bigint << 60) | (get_byte(t, get_byte(b, 14) - 48)::bigint << 55)
        | (get_byte(t, get_byte(b, 15) - 48)::bigint << 50) | (get_byte(t, get_byte(b, 16) - 48)::bigint << 45)
        | (get_byte(t, get_byte(b, 17) - 48)::bigint << 40) | (get_byte(t, get_byte(b, 18) - 48)::bigint << 35)
        | (get_byte(t, get_byte(b, 19) - 48)::bigint << 30) | (get_byte(t, get_byte(b, 20) - 48)::bigint << 25)
        | (get_byte(t, get_byte(b, 21) - 48)::bigint << 20) | (get_byte(t, get_byte(b, 22) - 48)::bigint << 15)
        | (get_byte(t, get_byte(b, 23) - 48)::bigint << 10) | (get_byte(t, get_byte(b, 24) - 48)::bigint << 5)
        | get_byte(t, get_byte(b, 25) - 48)::bigint;
    return encode(int8send(hi) || int8send(lo), 'hex')::uuid;
end
$$;

comment on function gnomon_data.id_of(text, text) is 'The id behind a public text of that prefix; GN020 when it is none. Reads either case.';
