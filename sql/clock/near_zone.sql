-- Index look-ups only: a batch of 10,000 misspelt zones must not become 10,000 searches of the list.
create or replace function gnomon_data.near_zone(given text) returns text
language plpgsql stable parallel safe
as $$
declare
    bare constant text := regexp_replace(trim(lower(left(given, 64)), E' \t\r\n/'), '^(posix|right)/', '');
    wanted constant text := regexp_replace(bare, '[ -]+', '_', 'g');
    stem constant text := substring(wanted from '^.+/[^/]{3}');
    near text;
begin
    near := case
        when wanted in ('z', 'gmt', 'utc', 'uct', 'zulu') then 'UTC'
        when wanted in ('est', 'edt', 'est5edt') then 'America/New_York'
        when wanted in ('cst', 'cdt', 'cst6cdt') then 'America/Chicago'
        when wanted in ('mst', 'mdt', 'mst7mdt') then 'America/Denver'
        when wanted in ('pst', 'pdt', 'pst8pdt') then 'America/Los_Angeles'
        when wanted in ('hst') then 'Pacific/Honolulu'
        when wanted in ('wet') then 'Europe/Lisbon'
        when wanted in ('bst', 'gb') then 'Europe/London'
        when wanted in ('cet', 'cest', 'met') then 'Europe/Paris'
        when wanted in ('eet', 'eest') then 'Europe/Athens'
        when wanted in ('msk') then 'Europe/Moscow'
        when wanted in ('ist') then 'Asia/Kolkata'
        when wanted in ('jst', 'japan') then 'Asia/Tokyo'
        when wanted in ('prc') then 'Asia/Shanghai'
        when wanted in ('rok') then 'Asia/Seoul'
        when wanted in ('nz') then 'Pacific/Auckland'
    end;
    near := coalesce(near, (select t.time_zone from gnomon_data.time_zones as t where t.folded = wanted limit 1));
    -- Europe/New_York, Berlin: the city is there, under the shortest name that has it.
    near := coalesce(near, (select t.time_zone from gnomon_data.time_zones as t
        where t.city = regexp_replace(wanted, '^.*/', '') order by length(t.time_zone), t.time_zone limit 1));
    -- Europe/Berln: of the names that begin alike the one that goes on alike for longest.
    if near is null and stem is not null then
        select t.time_zone into near from gnomon_data.time_zones as t
         where t.folded >= stem and t.folded < stem || chr(1114111)
         order by (select max(n) from generate_series(1, length(wanted)) as n where left(t.folded, n) = left(wanted, n)) desc,
                  t.folded
         limit 1;
    end if;
    return near;
end
$$;

comment on function gnomon_data.near_zone(text) is 'The zone that was probably meant, for a hint; null when none is near.';
