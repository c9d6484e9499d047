-- Beside find_schedule and pending_schedules, whose columns are a promise.
create or replace function gnomon.category_of(schedule_id text) returns text
language plpgsql stable security definer set search_path = ''
as $$
declare
    known_id constant uuid := gnomon_data.id_of('sch', schedule_id);
begin
    return (select s.category from gnomon_data.schedules as s where s.shard = gnomon_data.shard_of_id(known_id) and s.id = known_id);
end
$$;

comment on function gnomon.category_of(text) is 'The category that a pending schedule names; null when it names none, or is over.';
revoke all on function gnomon.category_of(text) from public;
grant execute on function gnomon.category_of(text) to gnomon_caller, gnomon_reader;
