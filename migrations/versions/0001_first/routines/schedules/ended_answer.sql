-- A cancel of what is over: the same answer again for one that was cancelled, fired for one that fired, GN020 for an id
-- that the ledger does not know (any more).
create or replace function gnomon_data.ended_answer(shard smallint, schedule_id uuid) returns gnomon.cancelled
language plpgsql stable
as $$
declare
    last gnomon_data.occurrence_log;
    fired record;
    told jsonb;
    answer gnomon.cancelled;
begin
    select o.* into last from gnomon_data.occurrence_log as o
     where o.shard = ended_answer.shard and o.schedule_id = ended_answer.schedule_id and o.is_last
     order by o.outcome = 'cancelled' desc, o.logged_at_utc desc limit 1;
    if last.shard is null then
        perform gnomon_data.fail('GN020', format('no schedule has the id %L', gnomon_data.id_text('sch', schedule_id)));
    elsif last.outcome = 'cancelled' then
        return jsonb_populate_record(null::gnomon.cancelled, last.detail);
    end if;
    select e.detail into told from gnomon_data.events as e
     where e.shard = ended_answer.shard and e.schedule_id = ended_answer.schedule_id and e.kind = 'stopped' order by e.at_utc limit 1;
    if told is not null then
        return jsonb_populate_record(null::gnomon.cancelled, told);
    end if;
    answer.schedule_id := gnomon_data.id_text('sch', schedule_id);
    answer.status := last.outcome;
    answer.was_fired := last.outcome in ('fired', 'completed');
    answer.fired_count := last.occurrence;
    answer.stopped_count := 0;
    answer.handed_over_count := 0;
    if answer.was_fired then
        select count(g.first_claimed_at_utc), min(g.first_claimed_at_utc), bool_and(g.outcome = 'expired') as is_expired
          into fired from gnomon_data.delivery_log as g
         where g.shard = ended_answer.shard and g.due_at_utc = last.fire_at_utc and g.schedule_id = ended_answer.schedule_id;
        -- It fired, and was worthless before anybody took it over.
        answer.was_fired := fired.count > 0 or fired.is_expired is not true;
        answer.status := case when answer.was_fired then 'fired' else 'expired' end;
        answer.handed_over_count := fired.count;
        answer.fired_at_utc := case when answer.was_fired then coalesce(fired.min, last.fire_at_utc) end;
    end if;
    return answer;
end
$$;

comment on function gnomon_data.ended_answer(smallint, uuid) is 'What a cancel answers for a schedule that is over; GN020 when it is not known.';
