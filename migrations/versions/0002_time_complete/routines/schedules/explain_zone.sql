create or replace function gnomon_data.explain_zone(time_zone text, source text) returns jsonb
language sql immutable
as $$
    select jsonb_build_object('timezone', time_zone, 'source', source, 'why', case
        when time_zone is null then 'No zone plays a part: instants and elapsed time are the same everywhere.'
        when source = 'request' then format('%s, named by the request: it stays when the user moves.', time_zone)
        when source = 'user' then format('%s, where the user lives: it follows when the user moves.', time_zone)
        when source = 'installation' then format('%s, the default of this installation, since nothing is known of the user; once told, it follows the user.', time_zone)
        else format('%s.', time_zone) end)
$$;

comment on function gnomon_data.explain_zone(text, text) is 'Where the zone of a schedule came from, and whether it follows the user.';
