-- The way back, once the cause is mended: the timer is set anew, the delivery is ready again; what still raises comes back here.
-- A delivery that was kept here alone (set_aside_locked) returns to its table, unless its schedule was cancelled meanwhile.
create or replace function gnomon.retry_set_aside(ids text[] default null, at_most int default 500) returns int
language plpgsql volatile security definer set search_path = ''
set enable_seqscan = off set enable_bitmapscan = off
as $$
declare
    wanted constant uuid[] := array(select gnomon_data.id_of(case when i like 'dlv%' then 'dlv' else 'sch' end, i) from unnest(ids) as i);
    now_utc timestamptz;
    a gnomon_data.set_aside;
    s gnomon_data.schedules;
    retried int := 0;
begin
    perform pg_current_xact_id();
    now_utc := gnomon_data.now_utc();
    for a in
        select x.* from gnomon_data.set_aside as x where ids is null or x.id = any (wanted)
         order by x.due_at_utc, x.id limit at_most for update skip locked
    loop
        if a.what = 'schedule' then
            select x.* into s from gnomon_data.schedules as x where x.shard = a.shard and x.id = a.id and x.stamp = a.stamp for update skip locked;
            -- Held by somebody, who may be mending it.
            continue when s.id is null and exists (select from gnomon_data.schedules as x where x.shard = a.shard and x.id = a.id and x.stamp = a.stamp);
            if s.id is not null then
                perform gnomon_data.note_event(a.shard, a.id, 'retried', '{}', now_utc);
                perform gnomon_data.set_timer(s, now_utc);
                retried := retried + 1;
            end if;
        elsif a.is_only_copy and gnomon_data.status_of(a.shard, a.schedule_id, now_utc) is distinct from 'cancelled' then
            insert into gnomon_data.deliveries
            select d.* from jsonb_populate_record(null::gnomon_data.deliveries, a.content || jsonb_build_object('ready_at_utc', now_utc, 'has_given_way', true)) as d;
            retried := retried + 1;
        else
            update gnomon_data.deliveries as d set ready_at_utc = now_utc
             where d.lane = a.lane and d.shard = a.shard and d.id = a.id and d.ready_at_utc = gnomon_data.never_utc();
            retried := retried + found::int;
        end if;
        delete from gnomon_data.set_aside as x where x.shard = a.shard and x.id = a.id;
    end loop;
    return retried;
end
$$;

comment on function gnomon.retry_set_aside(text[], int) is
    'Lets schedules and deliveries that were set aside be tried again, all of them or those named (sch_..., dlv_...), at most at_most; how many. Mend the cause first: what raises again is set aside again.';
revoke all on function gnomon.retry_set_aside(text[], int) from public;
grant execute on function gnomon.retry_set_aside(text[], int) to gnomon_worker;
