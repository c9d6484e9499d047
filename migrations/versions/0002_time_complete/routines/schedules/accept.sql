-- The one way in: schedule, schedule_many and their short forms all come here.
-- The xid first, then the clock (the write rule of sql/timers/tables.sql). No exception block: 10,000 subtransactions
-- cost the other sessions a third of their rate, so a fault is a value of the draft until its answer is written.
create or replace function gnomon_data.accept(requests jsonb) returns setof gnomon.scheduled_item
language plpgsql volatile set search_path = ''
as $$
declare
    now_utc timestamptz;
    drafts gnomon_data.draft[];
    d gnomon_data.draft;
    place int;
begin
    perform pg_current_xact_id();
    now_utc := gnomon_data.now_utc();
    select array_agg(gnomon_data.read_request(e.value, e.ordinality::int) order by e.ordinality) into drafts
      from jsonb_array_elements(requests) with ordinality as e;
    for place in 1..coalesce(cardinality(drafts), 0) loop
        d := drafts[place];
        if (d.fault).code is null and d.compiled ? 'calendars' then
            d.fault := gnomon_data.hold_calendars(d.compiled);
            drafts[place] := d;
        end if;
        if (d.fault).code is null then
            d.schedule_id := gnomon_data.new_id(d.shard, now_utc);
            drafts[place] := gnomon_data.place_draft(d, now_utc, now_utc);
        end if;
    end loop;
    if exists (select from unnest(drafts) as x where x.dedup_key is not null) then
        drafts := gnomon_data.dedup_drafts(drafts, now_utc);
    end if;
    if exists (select from unnest(drafts) as x where x.key is not null) then
        drafts := gnomon_data.key_drafts(drafts, now_utc);
    end if;
    for place in 1..coalesce(cardinality(drafts), 0) loop
        d := drafts[place];
        if d.same_as is not null then
            drafts[place].same_as := coalesce(drafts[d.same_as].same_as, d.same_as);
        elsif (d.fault).code is null and d.is_duplicate is null and (d.status is null or d.is_new) then
            d.fault := d.place_fault;
            d.is_new := coalesce(d.is_new, d.key is null);
            d.status := case when d.is_skipped then 'skipped' else 'scheduled' end;
            d.version := coalesce(d.version, 1);
            drafts[place] := d;
        end if;
    end loop;
    perform gnomon_data.write_drafts(drafts, now_utc);
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
