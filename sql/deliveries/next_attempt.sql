-- When an attempt that did not end the delivery is followed by another, or why by none. Cut at expires_at and at the lane's
-- horizon, counted from the first attempt: after an outage of ours what is late has its tries all the same.
create or replace function gnomon_data.next_attempt(
    lane smallint, attempt int, reason text, retry_after interval, first_claimed_at_utc timestamptz, expires_at_utc timestamptz,
    now_utc timestamptz, out at_utc timestamptz, out why_none text)
language plpgsql volatile
as $$
declare
    limits record;
begin
    select l.* into limits from gnomon_data.retry_limits(lane) as l;
    at_utc := now_utc + gnomon_data.retry_wait(lane, attempt, reason, retry_after);
    why_none := case when reason is distinct from 'unauthorised' and attempt >= limits.attempts then format('no attempt left of %s', limits.attempts)
                     when at_utc >= expires_at_utc then 'expires before the next attempt'
                     when at_utc >= first_claimed_at_utc + limits.horizon then format('no attempt later than %s h after the first',
                         round(extract(epoch from limits.horizon) / 3600, 2)) end;
    if why_none is not null then
        at_utc := null;
    end if;
end
$$;

comment on function gnomon_data.next_attempt(smallint, int, text, interval, timestamptz, timestamptz, timestamptz) is
    'When a delivery is tried again after this many attempts, or why it is not.';
