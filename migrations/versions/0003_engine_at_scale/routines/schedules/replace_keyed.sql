-- What a key points at already decides, with the key row locked:
--   a mass cancel means it         it is cancelled, whether swept or not, and a new schedule made
--   same request, alive            nothing is touched, even when the pending occurrence is overdue
--   same request, fired, and the request names one instant or date, or a course that is completed: it has been done,
--   nothing comes again
--   another request, alive         changed (change_schedule)
--   otherwise                      a new schedule, the key pointed anew; what was fired ahead and is not yet due comes back,
--                                  and of a course its count
create or replace function gnomon_data.replace_keyed(d gnomon_data.draft, old_id uuid, old_hash bytea, now_utc timestamptz)
returns gnomon_data.draft
language plpgsql volatile
as $$
declare
    is_same boolean := old_hash = d.request_hash;
    old gnomon_data.schedules;
    done record;
begin
    select s.* into old from gnomon_data.schedules as s where s.shard = d.shard and s.id = old_id for update;
    -- Whoever held the key or the schedule may have kept us waiting beyond its instant.
    now_utc := gnomon_data.now_utc();
    if gnomon_data.has_pauses() then
        old := gnomon_data.caught_up(old, now_utc);
        is_same := coalesce((select k.request_hash = d.request_hash from gnomon_data.schedule_keys as k
                              where k.shard = d.shard and k.kind = 1 and k.key_hash = gnomon_data.key_hash(d.user_id, d.key)), is_same);
    end if;
    if gnomon_data.end_doomed(d.shard, old_id) then
        -- With it went its key; nobody else can take it before we commit.
        d.is_new := true;
        if (d.fault).code is null and (d.place_fault).code is null and not coalesce(d.is_skipped, false) then
            insert into gnomon_data.schedule_keys (shard, kind, key_hash, schedule_id, request_hash)
            values (d.shard, 1, gnomon_data.key_hash(d.user_id, d.key), d.schedule_id, d.request_hash);
        end if;
        return d;
    elsif old.id is not null and is_same then
        d := gnomon_data.live_answer(d, old);
        d.is_duplicate := true;
        return d;
    elsif old.id is not null and not coalesce(d.is_skipped, false) then
        d := gnomon_data.change_schedule(old, d, now_utc, now_utc);
    elsif old.id is null then
        select q.due_at_utc as fire_at_utc, q.time_zone into done from gnomon_data.deliveries as q
         where is_same and q.shard = d.shard and q.schedule_id = old_id order by q.due_at_utc limit 1;
        if done.fire_at_utc is null then
            select o.fire_at_utc, o.time_zone into done from gnomon_data.occurrence_log as o
             where is_same and o.shard = d.shard and o.schedule_id = old_id and o.outcome = 'fired'
               and gnomon_data.status_of(d.shard, old_id, now_utc)
                   = case when d.is_recurring then 'completed' when d.compiled ->> 'kind' in ('instant', 'once') then 'fired' end
             order by o.logged_at_utc desc limit 1;
        end if;
        if done.fire_at_utc is not null then
            return gnomon_data.answered_draft(d, old_id, jsonb_build_object('fire_at_utc', done.fire_at_utc, 'time_zone', done.time_zone,
                'version', 1, 'warnings', '[]'::jsonb), now_utc);
        elsif (d.place_fault).code is null then
            d := gnomon_data.take_over_count(d, old_id, now_utc);
        end if;
    end if;
    if coalesce(d.is_skipped, false) then
        if old.id is not null then
            perform gnomon_data.cancel(d.shard, old_id);
        end if;
        d.is_new := true;
    elsif (d.fault).code is null and (d.place_fault).code is null then
        d.is_new := coalesce(d.is_new, old.id is null);
        update gnomon_data.schedule_keys as k set schedule_id = d.schedule_id, request_hash = d.request_hash, keep_until_utc = null
         where k.shard = d.shard and k.kind = 1 and k.key_hash = gnomon_data.key_hash(d.user_id, d.key);
    end if;
    return d;
end
$$;

comment on function gnomon_data.replace_keyed(gnomon_data.draft, uuid, bytea, timestamptz) is
    'What becomes of a draft whose key points at a schedule already; the key row is locked.';
