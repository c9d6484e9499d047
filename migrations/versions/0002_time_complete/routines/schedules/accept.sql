create or replace function gnomon_data.accept(requests jsonb) returns setof gnomon.scheduled_item
language plpgsql volatile set search_path = ''
as $$
declare
    drafts constant gnomon_data.draft[] := gnomon_data.accept_drafts(requests);
begin
    return query
        select x.ordinal, gnomon_data.id_text('sch', a.schedule_id), a.fire_at_utc, a.status,
               case when (o.fault).code is null then coalesce(a.is_duplicate, false) or x.same_as is not null end,
               a.time_zone, a.time_zone_source, a.resolution, a.if_past, a.version, a.warnings,
               (o.fault).code, (o.fault).message, (o.fault).hint, (o.fault).pointer
          from unnest(drafts) as x
          join unnest(drafts) as o on o.ordinal = coalesce(x.same_as, x.ordinal)
          left join unnest(drafts) as a on a.ordinal = o.ordinal and (a.fault).code is null
         order by x.ordinal;
end
$$;

comment on function gnomon_data.accept(jsonb) is 'Accepts an array of schedule requests; one answer or fault an item, in order.';
