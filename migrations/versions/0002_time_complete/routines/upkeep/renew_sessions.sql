-- A backend never forgets what it loaded of a zone, so new zone data reach only new sessions. Our own processes see the
-- number change within seconds and make theirs anew; sessions of others are theirs to end.
create or replace function gnomon.renew_sessions() returns int
language sql volatile security definer set search_path = ''
as $$ update gnomon_data.retiming as r set generation = r.generation + 1 returning r.generation $$;

comment on function gnomon.renew_sessions() is
    'Asks every process of Gnomon to make its sessions anew, since a session keeps the zone data it once loaded; the new number of session_generation().';
revoke all on function gnomon.renew_sessions() from public;
grant execute on function gnomon.renew_sessions() to gnomon_worker;
