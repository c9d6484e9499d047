-- Exact, also in case: what is stored reaches AT TIME ZONE as it is. A near miss is named, never silently taken.
create or replace function gnomon_data.zone_fault(time_zone text) returns gnomon_data.fault
language plpgsql stable parallel safe
as $$
declare
    near text;
begin
    if exists (select from gnomon_data.time_zones as t where t.time_zone = zone_fault.time_zone) then
        return null;
    end if;
    near := gnomon_data.near_zone(time_zone);
    return gnomon_data.field_fault('GN010', '/timezone', 'must be a time zone of the IANA list, not ' || gnomon_data.quoted(time_zone),
        concat_ws('; ', 'did you mean ' || near,
            case when time_zone ~ '[0-9]' and time_zone !~ '/'
                 then 'offsets know no daylight saving, and UTC+3 means minus three hours to PostgreSQL'
                 when time_zone ~ '^[A-Za-z]{2,5}$' and near is distinct from 'UTC'
                 then 'abbreviations know no daylight saving' end,
            case when near is null then 'a zone is Area/City, such as Europe/Berlin, or UTC' end));
end
$$;

comment on function gnomon_data.zone_fault(text) is 'GN010 with the near miss in the hint when the zone is none of time_zones; null when it is known.';
