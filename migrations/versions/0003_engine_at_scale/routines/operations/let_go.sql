create or replace function gnomon_data.let_go(shard smallint, schedule_id uuid, now_utc timestamptz) returns void
language sql volatile
set enable_seqscan = off set enable_bitmapscan = off
as $$
    update gnomon_data.deliveries as d set ready_at_utc = greatest(d.due_at_utc, let_go.now_utc)
     where d.shard = let_go.shard and d.schedule_id = let_go.schedule_id and d.attempt = 0 and d.claim_id is null
       and d.ready_at_utc > greatest(d.due_at_utc, let_go.now_utc) and d.ready_at_utc < let_go.now_utc + interval '5 min'
$$;

comment on function gnomon_data.let_go(smallint, uuid, timestamptz) is
    'What claims have set back of a schedule while a mass reschedule held it (hold_back), and what is not parked, is ready when it is due.';
