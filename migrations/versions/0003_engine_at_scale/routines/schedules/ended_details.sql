-- After the end, or while a one-shot is on its way, deliveries and the ledger tell what is left to tell.
create or replace function gnomon_data.ended_details(shard smallint, schedule_id uuid) returns gnomon.schedule_details
language plpgsql stable
as $$
declare
    d gnomon_data.deliveries;
    last gnomon_data.occurrence_log;
    found gnomon.schedule_details;
begin
    select x.* into d from gnomon_data.deliveries as x
     where x.shard = ended_details.shard and x.schedule_id = ended_details.schedule_id order by x.due_at_utc desc limit 1;
    select o.* into last from gnomon_data.occurrence_log as o
     where o.shard = ended_details.shard and o.schedule_id = ended_details.schedule_id and o.is_last
     order by o.outcome = 'cancelled' desc, o.logged_at_utc desc limit 1;
    if last.shard is null then
        perform gnomon_data.fail('GN020', format('no schedule has the id %L', gnomon_data.id_text('sch', schedule_id)));
    end if;
    found.schedule_id := gnomon_data.id_text('sch', schedule_id);
    found.user_id := last.user_id;
    found.template_id := last.template_id;
    found.lane := gnomon_data.lane_name(last.lane);
    found.fire_at_utc := last.fire_at_utc;
    found.time_zone := last.time_zone;
    found.local_time := gnomon_data.time_text(last.nominal_local::time);
    found.status := gnomon_data.status_of(ended_details.shard, ended_details.schedule_id, gnomon_data.now_utc());
    found.created_at_utc := gnomon_data.at_of_id(schedule_id);
    if found.status in ('fired', 'completed') then
        found.fired_at_utc := last.fire_at_utc;
    end if;
    if d.id is not null then
        found.params := coalesce(d.params, (select p.params from gnomon_data.payloads as p where p.shard = d.shard and p.id = d.payload_id), '{}');
        found.channels := array(select distinct x.channel from gnomon_data.deliveries as x
                                 where x.shard = d.shard and x.schedule_id = d.schedule_id and x.notification_id = d.notification_id order by 1);
        found.key := d.key;
        found.dedup_key := d.dedup_key;
        found.labels := coalesce(d.labels, '{}');
    end if;
    return found;
end
$$;

comment on function gnomon_data.ended_details(smallint, uuid) is 'The details of a schedule without a row in schedules; GN020 when nothing is known.';
