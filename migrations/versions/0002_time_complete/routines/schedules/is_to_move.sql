create or replace function gnomon_data.is_to_move(s gnomon_data.schedules, time_zone text) returns boolean
language sql immutable parallel safe
as $$
    select gnomon_data.has_readings(s.rule) and s.time_zone_source <> 'request' and (s.time_zone <> is_to_move.time_zone or s.time_zone_source <> 'user')
$$;

comment on function gnomon_data.is_to_move(gnomon_data.schedules, text) is
    'Whether a schedule has a local time, names no zone of its own and does not follow its user to this zone yet.';
