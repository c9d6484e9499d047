-- Before a period of timers is detached the horizon must not promise it any more. Its marks are behind, and a writer's
-- instant is never below its clock, so nobody means to write there; a writer that does goes to timers_far.
create or replace function gnomon.leave_period(period_table text) returns void
language sql volatile security definer set search_path = ''
as $$
    update gnomon_data.horizon as h set near_from_utc = p.until_utc
      from gnomon_data.periods as p
     where p.period = period_table and p.parent = 'timers' and p.until_utc > h.near_from_utc and p.until_utc <= h.near_until_utc
$$;

comment on function gnomon.leave_period(text) is 'Moves the near end of the horizon behind a period; called before its detach.';
revoke all on function gnomon.leave_period(text) from public;
grant execute on function gnomon.leave_period(text) to gnomon_worker;
