-- Ready at the end of time and out of the order of its user: no claim reaches it, and none that follows waits for it. A cancel
-- finds it where it is. What cannot even be written to (a constraint that was added later, say) leaves the table for the
-- note; retry_set_aside then asks whether its schedule has been cancelled meanwhile.
-- The claim stays: in the bulk lane it may have been sent, and is then no more sent again than after a lost lease.
create or replace function gnomon_data.set_aside_locked(lane smallint, shard smallint, id uuid, code text, message text, now_utc timestamptz)
returns void
language plpgsql volatile
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
as $$
declare
    d record;
    content jsonb;
    is_only_copy boolean := false;
begin
    select x.schedule_id, x.user_id, x.channel, x.due_at_utc into d from gnomon_data.deliveries as x
     where x.lane = set_aside_locked.lane and x.shard = set_aside_locked.shard and x.id = set_aside_locked.id;
    begin
        select to_jsonb(x) into content from gnomon_data.deliveries as x
         where x.lane = set_aside_locked.lane and x.shard = set_aside_locked.shard and x.id = set_aside_locked.id;
    exception when others then
        null;
    end;
    begin
        update gnomon_data.deliveries as x set ready_at_utc = gnomon_data.never_utc(), has_given_way = true
         where x.lane = set_aside_locked.lane and x.shard = set_aside_locked.shard and x.id = set_aside_locked.id;
    exception when others then
        if content is null then
            raise;
        end if;
        delete from gnomon_data.deliveries as x
         where x.lane = set_aside_locked.lane and x.shard = set_aside_locked.shard and x.id = set_aside_locked.id;
        is_only_copy := true;
    end;
    insert into gnomon_data.set_aside as a (shard, id, what, schedule_id, lane, due_at_utc, error_code, error_text, set_aside_at_utc, content, is_only_copy)
    values (set_aside_locked.shard, set_aside_locked.id, 'delivery', d.schedule_id, set_aside_locked.lane, d.due_at_utc, code, message, now_utc, content, is_only_copy)
    on conflict on constraint set_aside_pkey do update
       set error_code = excluded.error_code, error_text = excluded.error_text, set_aside_at_utc = excluded.set_aside_at_utc,
           content = excluded.content, is_only_copy = excluded.is_only_copy;
    perform gnomon_data.log_day('events', now_utc);
    insert into gnomon_data.events (at_utc, shard, schedule_id, delivery_id, kind, detail)
    values (now_utc, set_aside_locked.shard, d.schedule_id, set_aside_locked.id, 'set_aside', jsonb_build_object('code', code, 'error', message));
    if gnomon_data.keeps_order(set_aside_locked.lane) then
        perform gnomon_data.release_next(array[row(set_aside_locked.lane, set_aside_locked.shard, d.user_id, d.channel)::gnomon_data.order_group]);
    end if;
end
$$;

comment on function gnomon_data.set_aside_locked(smallint, smallint, uuid, text, text, timestamptz) is
    'Takes a delivery that this transaction has locked out of everybody''s way, with the error that it raised.';
