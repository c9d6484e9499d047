-- Crockford's base32 (no I, L, O, U), most significant bits first: 128 bits in 26 characters, the first of them 0 to 7,
-- so that the texts of ids sort as the ids do. Written out: every delivery handed over carries three ids, and a query
-- over generate_series in this place takes four times as long. From bytes, 2.2 us: a character of a text is found by walking
-- to it, 3.7 us.
create or replace function gnomon_data.id_text(prefix text, id uuid) returns text
language plpgsql immutable strict parallel safe
as $$
declare
    a constant bytea := '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
    hi constant bigint := ('x' || substr(encode(uuid_send(id), 'hex'), 1, 16))::bit(64)::bigint;
    lo constant bigint := ('x' || substr(encode(uuid_send(id), 'hex'), 17, 16))::bit(64)::bigint;
begin
    return prefix || '_' || convert_from(
           substr(a, ((hi >> 61) & 7)::int + 1, 1) || substr(a, ((hi >> 56) & 31)::int + 1, 1)
        || substr(a, ((hi >> 51) & 31)::int + 1, 1) || substr(a, ((hi >> 46) & 31)::int + 1, 1)
        || substr(a, ((hi >> 41) & 31)::int + 1, 1) || substr(a, ((hi >> 36) & 31)::int + 1, 1)
        || substr(a, ((hi >> 31) & 31)::int + 1, 1) || substr(a, ((hi >> 26) & 31)::int + 1, 1)
        || substr(a, ((hi >> 21) & 31)::int + 1, 1) || substr(a, ((hi >> 16) & 31)::int + 1, 1)
        || substr(a, ((hi >> 11) & 31)::int + 1, 1) || substr(a, ((hi >> 6) & 31)::int + 1, 1)
        || substr(a, ((hi >> 1) & 31)::int + 1, 1) || substr(a, (((hi & 1) << 4) | ((lo >> 60) & 15))::int + 1, 1)
        || substr(a, ((lo >> 55) & 31)::int + 1, 1) || substr(a, ((lo >> 50) & 31)::int + 1, 1)
        || substr(a, ((lo >> 45) & 31)::int + 1, 1) || substr(a, ((lo >> 40) & 31)::int + 1, 1)
        || substr(a, ((lo >> 35) & 31)::int + 1, 1) || substr(a, ((lo >> 30) & 31)::int + 1, 1)
        || substr(a, ((lo >> 25) & 31)::int + 1, 1) || substr(a, ((lo >> 20) & 31)::int + 1, 1)
        || substr(a, ((lo >> 15) & 31)::int + 1, 1) || substr(a, ((lo >> 10) & 31)::int + 1, 1)
        || substr(a, ((lo >> 5) & 31)::int + 1, 1) || substr(a, (lo & 31)::int + 1, 1), 'UTF8');
end
$$;

comment on function gnomon_data.id_text(text, uuid) is 'The public text of an id: prefix, _, 26 characters of Crockford base32.';
