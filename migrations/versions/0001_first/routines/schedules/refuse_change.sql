create or replace function gnomon_data.refuse_change(shard smallint, schedule_id uuid, now_utc timestamptz) returns void
language plpgsql stable
as $$
declare
    status text;
begin
    if exists (select from gnomon_data.deliveries as d
                where d.shard = refuse_change.shard and d.schedule_id = refuse_change.schedule_id and d.due_at_utc > now_utc)
       or exists (select from gnomon_data.schedules as s where s.shard = refuse_change.shard and s.id = refuse_change.schedule_id) then
        perform gnomon_data.fail('GN029', 'the notification is on its way and cannot be changed', 'cancel still can stop it until it is handed over');
    end if;
    status := gnomon_data.status_of(refuse_change.shard, refuse_change.schedule_id, now_utc);
    if status is null then
        perform gnomon_data.fail('GN020', format('no schedule has the id %L', gnomon_data.id_text('sch', schedule_id)));
    end if;
    perform gnomon_data.fail('GN025', format('the schedule is %s: nothing to change', status));
end
$$;

comment on function gnomon_data.refuse_change(smallint, uuid, timestamptz) is 'Raises why a schedule cannot be changed: GN020, GN025 or GN029.';
