create or replace function gnomon_data.zones_to_retime(time_zones text[]) returns text[]
language plpgsql stable
as $$
declare
    fault gnomon_data.fault;
    name text;
begin
    if time_zones is null then
        return array(select d.time_zone from gnomon.zone_drift() as d where d.offset_now is not null order by d.time_zone);
    end if;
    foreach name in array time_zones loop
        fault := gnomon_data.zone_fault(name);
        perform gnomon_data.raise_fault(fault);
    end loop;
    return array(select distinct n.name from unnest(time_zones) as n (name) order by n.name);
end
$$;

comment on function gnomon_data.zones_to_retime(text[]) is 'The zones named, checked; those whose rules changed when none are. GN010.';
