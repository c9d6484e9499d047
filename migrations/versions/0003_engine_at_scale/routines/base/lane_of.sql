create or replace function gnomon_data.lane_of(lane text) returns smallint
language sql immutable parallel safe
as $$ select (case lane when 'critical' then 0 when 'transactional' then 1 when 'bulk' then 2 end)::smallint $$;

comment on function gnomon_data.lane_of(text) is 'critical 0, transactional 1, bulk 2; null for anything else.';
