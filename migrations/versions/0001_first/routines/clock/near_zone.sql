-- Index look-ups only: a batch of 10,000 misspelt zones must not become 10,000 searches of the list.
create or replace function gnomon_data.near_zone(given text) returns text
language plpgsql stable parallel safe
as $$
declare
    wanted constant text := left(lower(regexp_replace(regexp_replace(trim(given, E' \t\r\n/'), '^(posix|right)/', '', 'i'), '[ -]+', '_', 'g')), 64);
    stem constant text := substring(wanted from '^.+/[^/]{3}');
    near text;
begin
    -- What people write for a zone of one name, or for a city that stands for many.
    near := (jsonb '{"z": "UTC", "gmt": "UTC", "utc": "UTC", "zulu": "UTC", "uct": "UTC", "est": "America/New_York", "edt": "America/New_York",
        "est5edt": "America/New_York", "cst": "America/Chicago", "cdt": "America/Chicago", "cst6cdt": "America/Chicago", "mst": "America/Denver",
        "mdt": "America/Denver", "mst7mdt": "America/Denver", "pst": "America/Los_Angeles", "pdt": "America/Los_Angeles", "pst8pdt": "America/Los_Angeles",
        "hst": "Pacific/Honolulu", "cet": "Europe/Paris", "cest": "Europe/Paris", "met": "Europe/Paris", "eet": "Europe/Athens", "eest": "Europe/Athens",
        "wet": "Europe/Lisbon", "bst": "Europe/London", "gb": "Europe/London", "ist": "Asia/Kolkata", "jst": "Asia/Tokyo", "japan": "Asia/Tokyo",
        "msk": "Europe/Moscow", "prc": "Asia/Shanghai", "rok": "Asia/Seoul", "nz": "Pacific/Auckland"}')->>wanted;
    near := coalesce(near, (select t.time_zone from gnomon_data.time_zones as t where t.folded = wanted limit 1));
    -- Near miss, such as Europe/New_York or Berlin: the same city elsewhere, the shortest name first.
    near := coalesce(near, (select t.time_zone from gnomon_data.time_zones as t
        where t.city = regexp_replace(wanted, '^.*/', '') order by length(t.time_zone), t.time_zone limit 1));
    -- Europe/Berln: the first name that begins alike, the one with the longest common beginning.
    if near is null and stem is not null then
        select t.time_zone into near from gnomon_data.time_zones as t
         where t.folded >= stem and t.folded < stem || chr(1114111)
         order by (select max(n) from generate_series(1, length(wanted)) as n where left(t.folded, n) = left(wanted, n)) desc, t.folded limit 1;
    end if;
    return near;
end
$$;

comment on function gnomon_data.near_zone(text) is 'The zone that was probably meant, for a hint; null when none is near.';
