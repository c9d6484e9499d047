-- The one way in: schedule, schedule_many, their short forms and import_requests all come here.
-- The xid first, then the clock (the write rule of sql/timers/tables.sql). No exception block: 10,000 subtransactions
-- cost the other sessions a third of their rate, so a fault is a value of the draft until its answer is written.
create or replace function gnomon_data.accept_drafts(requests jsonb) returns gnomon_data.draft[]
language plpgsql volatile set search_path = ''
as $$
declare
    now_utc timestamptz;
    drafts gnomon_data.draft[];
    d gnomon_data.draft;
begin
    perform pg_current_xact_id();
    now_utc := gnomon_data.now_utc();
    drafts := gnomon_data.read_drafts(requests, now_utc);
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
    return drafts;
end
$$;

comment on function gnomon_data.accept_drafts(jsonb) is
    'Accepts an array of schedule requests; a draft an item, in order, with its fault or what was written. same_as names the item that answers for it.';
