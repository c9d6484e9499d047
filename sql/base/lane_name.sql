create or replace function gnomon_data.lane_name(lane smallint) returns text
language sql immutable parallel safe
as $$ select (array['critical', 'transactional', 'bulk'])[lane + 1] $$;

comment on function gnomon_data.lane_name(smallint) is 'The public word for a lane''s number.';
