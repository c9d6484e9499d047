-- key: this thing's one current schedule. The key row is locked before the schedule (cancel and reschedule do the same),
-- in key order. Of several items with one key the last counts, and the others give its answer.
-- What an existing key points at decides:
--   same request, alive            nothing is touched, even when the pending occurrence is overdue
--   same request, fired, and the request names one instant or date: it has been done, nothing comes again
--   another request, alive         changed (change_schedule)
--   otherwise                      a new schedule, the key pointed anew; what was fired ahead and is not yet due comes back
create or replace function gnomon_data.key_drafts(drafts gnomon_data.draft[], now_utc timestamptz) returns gnomon_data.draft[]
language plpgsql volatile
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
    known record;
begin
    insert into gnomon_data.schedule_keys (shard, kind, key_hash, schedule_id, request_hash)
    select f.shard, 1, f.key_hash, f.schedule_id, f.request_hash
      from (select distinct on (d.shard, h.key_hash) d.shard, h.key_hash, d.schedule_id, d.request_hash, d.place_fault, d.is_skipped
              from unnest(drafts) as d cross join lateral (select gnomon_data.key_hash(d.user_id, d.key) as key_hash offset 0) as h
             where (d.fault).code is null and d.is_duplicate is null and d.key is not null
             order by d.shard, h.key_hash, d.ordinal desc) as f
     where (f.place_fault).code is null and not f.is_skipped
     order by f.shard, f.key_hash
    on conflict do nothing;
    for known in
        select g.ordinal, g.last_ordinal, k.schedule_id, k.request_hash, k.schedule_id = g.schedule_id as is_fresh
          from (select d.ordinal, d.shard, h.key_hash, d.schedule_id,
                       max(d.ordinal) over (partition by d.shard, h.key_hash) as last_ordinal
                  from unnest(drafts) as d cross join lateral (select gnomon_data.key_hash(d.user_id, d.key) as key_hash offset 0) as h
                 where (d.fault).code is null and d.is_duplicate is null and d.key is not null) as g
          left join lateral (select x.schedule_id, x.request_hash from gnomon_data.schedule_keys as x
                              where x.shard = g.shard and x.kind = 1 and x.key_hash = g.key_hash for update) as k on true
         order by g.shard, g.key_hash, g.ordinal
    loop
        if known.ordinal < known.last_ordinal then
            drafts[known.ordinal].same_as := known.last_ordinal;
        elsif known.schedule_id is null or known.is_fresh then
            drafts[known.ordinal].is_new := true;
        else
            drafts[known.ordinal] := gnomon_data.replace_keyed(drafts[known.ordinal], known.schedule_id, known.request_hash, now_utc);
        end if;
    end loop;
    return drafts;
end
$$;

comment on function gnomon_data.key_drafts(gnomon_data.draft[], timestamptz) is
    'Takes the natural keys of drafts; those that point at something already are answered, changed or pointed anew.';
