-- The numbers of retries, by lane and nowhere else.
--   attempts   how often it is tried; what is unauthorised does not count
--   minimum, base, ceiling   the wait: base, doubled with every attempt, up to ceiling; by chance between minimum and that
--   obeyed_for how long a Retry-After is obeyed: a provider that asks for a year must not put a delivery out of sight
--   horizon    no attempt later than this after the first one, where expires_at does not come before
-- A critical one is worth nothing after minutes, bulk is in no hurry and must not press.
create or replace function gnomon_data.retry_limits(lane smallint)
returns table (attempts int, minimum interval, base interval, ceiling interval, obeyed_for interval, horizon interval)
language sql immutable parallel safe rows 1
as $$
    select l.attempts, interval '250 ms', l.base, l.ceiling, l.obeyed_for, l.horizon
      from (values (0, 20, interval '500 ms', interval '30 s', interval '1 min', interval '15 min'),
                   (1, 16, interval '1 s', interval '10 min', interval '15 min', interval '6 h'),
                   (2, 12, interval '5 s', interval '30 min', interval '1 h', interval '24 h'))
           as l (lane, attempts, base, ceiling, obeyed_for, horizon)
     where l.lane = retry_limits.lane
$$;

comment on function gnomon_data.retry_limits(smallint) is
    'How often, how densely and for how long the deliveries of a lane are tried.';
