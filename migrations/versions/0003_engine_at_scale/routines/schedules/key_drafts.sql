-- key: this thing's one current schedule. Three steps:
--   Of several items with one key the last that can be placed in time counts; the others give its answer or their fault.
--   Same request, alive: nothing is touched, not even locked. A rebuild of millions in one transaction must not hold their
--   schedules against the fire. Read plainly: whoever changes it meanwhile comes after us.
--   The rest: the key row is locked before the schedule (cancel and reschedule do the same). One statement takes those that are
--   free and locks the others, in key order (ON CONFLICT locks also what it does not update), and takes what a cancel that it
--   waited for has freed. In two steps, two of these met in a deadlock: each held what was free and waited for what vanished.
--   Those that cannot be placed take their keys for that moment only.
create or replace function gnomon_data.key_drafts(drafts gnomon_data.draft[], now_utc timestamptz) returns gnomon_data.draft[]
language plpgsql volatile
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
    known record;
    open_count int;
    keyless uuid[];
    fresh gnomon_data.draft;
    taken_count int;
    has_cancels constant boolean := gnomon_data.has_cancels();
    has_pauses constant boolean := gnomon_data.has_pauses();
begin
    for known in
        select g.ordinal, g.last_ordinal, g.place_fault
          from (select d.ordinal, d.place_fault,
                       max(d.ordinal) filter (where (d.place_fault).code is null) over (partition by d.user_id, d.key) as last_ordinal
                  from unnest(drafts) as d where (d.fault).code is null and d.is_duplicate is null and d.key is not null and d.same_as is null) as g
         where g.ordinal <> g.last_ordinal
    loop
        drafts[known.ordinal].fault := known.place_fault;
        drafts[known.ordinal].same_as := case when (known.place_fault).code is null then known.last_ordinal end;
    end loop;
    for known in
        select d.ordinal, s as schedule
          from unnest(drafts) as d
          join gnomon_data.schedule_keys as k on k.shard = d.shard and k.kind = 1 and k.key_hash = gnomon_data.key_hash(d.user_id, d.key)
          join gnomon_data.schedules as s on s.shard = k.shard and s.id = k.schedule_id
         where (d.fault).code is null and d.is_duplicate is null and d.key is not null and d.same_as is null
           and k.request_hash = d.request_hash
           and not (has_cancels and gnomon_data.is_doomed(s.user_id, s.template_id, s.labels, s.spared_by))
           and not (has_pauses and gnomon_data.is_changing(s.user_id, s.template_id, s.labels, s.spared_by, 'infinity'))
    loop
        drafts[known.ordinal] := gnomon_data.live_answer(drafts[known.ordinal], known.schedule);
        drafts[known.ordinal].is_duplicate := true;
        if has_pauses and gnomon_data.is_paused(known.schedule) then
            drafts[known.ordinal].status := 'paused';
        end if;
    end loop;
    select count(*), array_agg(d.schedule_id) filter (where (d.place_fault).code is not null or d.is_skipped) into open_count, keyless
      from unnest(drafts) as d
     where (d.fault).code is null and d.is_duplicate is null and d.key is not null and d.same_as is null;
    if open_count = 0 then
        return drafts;
    end if;
    insert into gnomon_data.schedule_keys as k (shard, kind, key_hash, schedule_id, request_hash)
    select distinct on (d.shard, h.key_hash) d.shard, 1, h.key_hash, d.schedule_id, d.request_hash
      from unnest(drafts) as d cross join lateral (select gnomon_data.key_hash(d.user_id, d.key) as key_hash offset 0) as h
     where (d.fault).code is null and d.is_duplicate is null and d.key is not null and d.same_as is null
     order by d.shard, h.key_hash
    on conflict on constraint schedule_keys_pkey do update set schedule_id = k.schedule_id where false;
    get diagnostics taken_count = row_count;
    if keyless is not null then
        delete from gnomon_data.schedule_keys as k using unnest(drafts) as d
         where d.schedule_id = any (keyless) and k.shard = d.shard and k.kind = 1 and k.key_hash = gnomon_data.key_hash(d.user_id, d.key)
           and k.schedule_id = d.schedule_id;
    end if;
    -- All of them taken: there is nothing to look back at.
    if taken_count = open_count then
        for place in 1..cardinality(drafts) loop
            fresh := drafts[place];
            if (fresh.fault).code is null and fresh.is_duplicate is null and fresh.key is not null and fresh.same_as is null then
                drafts[place].is_new := true;
            end if;
        end loop;
        return drafts;
    end if;
    for known in
        select g.ordinal, k.schedule_id, k.request_hash, coalesce(k.schedule_id = g.schedule_id, true) as is_fresh
          from (select d.ordinal, d.shard, h.key_hash, d.schedule_id
                  from unnest(drafts) as d cross join lateral (select gnomon_data.key_hash(d.user_id, d.key) as key_hash offset 0) as h
                 where (d.fault).code is null and d.is_duplicate is null and d.key is not null and d.same_as is null
                 order by d.shard, h.key_hash) as g
          left join lateral (select x.schedule_id, x.request_hash from gnomon_data.schedule_keys as x
                              where x.shard = g.shard and x.kind = 1 and x.key_hash = g.key_hash) as k on true
    loop
        if known.is_fresh then
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
