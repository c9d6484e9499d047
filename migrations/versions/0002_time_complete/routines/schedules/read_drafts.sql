-- Read and placed, each item or its fault; no key is looked at yet. What read_alike leaves is read word by word.
create or replace function gnomon_data.read_drafts(requests jsonb, now_utc timestamptz) returns gnomon_data.draft[]
language plpgsql volatile
as $$
declare
    -- Fewer are not worth the statement that sorts them by what they share.
    alike_from constant int := 32;
    drafts gnomon_data.draft[];
    d gnomon_data.draft;
    request jsonb;
    place int;
begin
    if jsonb_array_length(requests) >= alike_from then
        drafts := gnomon_data.read_alike(requests, now_utc);
    end if;
    for request, place in
        select e.value, e.ordinality from jsonb_array_elements(requests) with ordinality as e
          left join unnest(drafts) as x on x.ordinal = e.ordinality
         where x.ordinal is null
         order by e.ordinality
    loop
        d := gnomon_data.read_request(request, place);
        if (d.fault).code is null and d.compiled ? 'calendars' then
            d.fault := gnomon_data.hold_calendars(d.compiled);
        end if;
        if (d.fault).code is null then
            d.schedule_id := gnomon_data.new_id(d.shard, now_utc);
            d := gnomon_data.place_draft(d, now_utc, now_utc);
        end if;
        drafts[place] := d;
    end loop;
    return drafts;
end
$$;

comment on function gnomon_data.read_drafts(jsonb, timestamptz) is 'An array of requests read and placed in time: a draft an item, in order.';
