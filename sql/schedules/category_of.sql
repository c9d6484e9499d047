-- Beside find_schedule and pending_schedules, whose columns are a promise.
create or replace function gnomon.category_of(schedule_id text) returns text
language plpgsql stable security definer set search_path = ''
as $$
declare
    known_id constant uuid := gnomon_data.id_of('sch', schedule_id);
    home constant smallint := gnomon_data.shard_of_id(known_id);
    named text;
begin
    select s.category into named from gnomon_data.schedules as s where s.shard = home and s.id = known_id;
    if not found then
        select d.category into named from gnomon_data.deliveries as d
         where d.shard = home and d.schedule_id = known_id order by d.due_at_utc desc limit 1;
    end if;
    return named;
end
$$;

comment on function gnomon.category_of(text) is 'The category that a schedule names, until its last delivery is settled; null when it names none.';
revoke all on function gnomon.category_of(text) from public;
grant execute on function gnomon.category_of(text) to gnomon_caller, gnomon_reader;
