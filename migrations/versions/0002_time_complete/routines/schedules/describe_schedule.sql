create or replace function gnomon.describe_schedule(schedule_id text) returns text
language plpgsql stable security definer set search_path = ''
as $$
declare
    known_id constant uuid := gnomon_data.id_of('sch', schedule_id);
    s gnomon_data.schedules;
begin
    select x.* into s from gnomon_data.schedules as x where x.shard = gnomon_data.shard_of_id(known_id) and x.id = known_id;
    if s.id is null then
        -- GN020 for an id that nobody knows.
        perform gnomon_data.ended_details(gnomon_data.shard_of_id(known_id), known_id);
        return null;
    end if;
    return gnomon_data.rule_sentence(s.rule, s.time_zone);
end
$$;

comment on function gnomon.describe_schedule(text) is
    'When a schedule fires, in one plain sentence: every weekday at 09:00, Europe/Berlin; null for one that is over. GN020 for an unknown id.';
revoke all on function gnomon.describe_schedule(text) from public;
grant execute on function gnomon.describe_schedule(text) to gnomon_caller, gnomon_reader;
