-- dedup_key: this event once. The key row is written before the schedule, in key order, and the unique index is what makes
-- two callers meet: the second waits for the first and then reads its answer, or, under REPEATABLE READ, gets an honest
-- 40001. Of several items with one key the first counts. The look back is a statement of its own, with a snapshot that sees
-- who came first. A row that it does not find was forgotten by upkeep in between: then the key is taken once more.
create or replace function gnomon_data.dedup_drafts(drafts gnomon_data.draft[], now_utc timestamptz) returns gnomon_data.draft[]
language plpgsql volatile
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
    known record;
    has_vanished boolean;
    taken_count int;
begin
    for known in
        select g.ordinal, g.first_ordinal, g.request_hash = drafts[g.first_ordinal].request_hash as is_same
          from (select d.ordinal, d.request_hash, min(d.ordinal) filter (where (d.place_fault).code is null)
                           over (partition by d.user_id, d.dedup_key) as first_ordinal
                  from unnest(drafts) as d where (d.fault).code is null and d.dedup_key is not null) as g
         where g.ordinal > g.first_ordinal
    loop
        drafts[known.ordinal].same_as := case when known.is_same then known.first_ordinal end;
        drafts[known.ordinal].fault := case when not known.is_same then gnomon_data.field_fault('GN022', '/dedup_key',
            format('is that of item %s with another request', known.first_ordinal), 'use a new key for a new event') end;
    end loop;
    loop
        has_vanished := false;
        insert into gnomon_data.schedule_keys (shard, kind, key_hash, schedule_id, request_hash, answer, keep_until_utc)
        select d.shard, 0, h.key_hash, d.schedule_id, d.request_hash, gnomon_data.answer_of(d),
               case when d.is_skipped then now_utc + interval '48 h' end
          from unnest(drafts) as d cross join lateral (select gnomon_data.key_hash(d.user_id, d.dedup_key) as key_hash offset 0) as h
         where (d.fault).code is null and (d.place_fault).code is null and d.dedup_key is not null and d.same_as is null
           and d.is_duplicate is null
         order by d.shard, h.key_hash
        on conflict do nothing;
        get diagnostics taken_count = row_count;
        -- All of them taken: nobody came first, so there is nothing to look back at.
        exit when taken_count = (select count(*) from unnest(drafts) as d
                                  where (d.fault).code is null and d.dedup_key is not null and d.same_as is null and d.is_duplicate is null);
        for known in
            select d.ordinal, k.schedule_id, k.request_hash, k.answer, (d.place_fault).code is null as is_placed
              from unnest(drafts) as d
              left join gnomon_data.schedule_keys as k
                on k.shard = d.shard and k.kind = 0 and k.key_hash = gnomon_data.key_hash(d.user_id, d.dedup_key)
             where (d.fault).code is null and d.dedup_key is not null and d.same_as is null and d.is_duplicate is null
               and k.schedule_id is distinct from d.schedule_id
        loop
            if known.schedule_id is null then
                has_vanished := has_vanished or known.is_placed;
            elsif known.request_hash = drafts[known.ordinal].request_hash then
                drafts[known.ordinal] := gnomon_data.answered_draft(drafts[known.ordinal], known.schedule_id, known.answer, now_utc);
            else
                drafts[known.ordinal].fault := gnomon_data.field_fault('GN022', '/dedup_key', 'has been used with another request',
                    format('it belongs to %s; use a new key for a new event', gnomon_data.id_text('sch', known.schedule_id)));
            end if;
        end loop;
        exit when not has_vanished;
    end loop;
    return drafts;
end
$$;

comment on function gnomon_data.dedup_drafts(gnomon_data.draft[], timestamptz) is
    'Takes the dedup keys of drafts; those that were taken before carry the first answer or GN022.';
