-- Bulk that nobody took is dropped and counted; of the others somebody waits for it, so it failed.
create or replace function gnomon_data.out_of_tries(lane smallint) returns text
language sql immutable parallel safe
as $$ select case lane when 2 then 'dropped' else 'failed' end $$;

comment on function gnomon_data.out_of_tries(smallint) is 'How a delivery ends that runs out of attempts or time, by lane.';
