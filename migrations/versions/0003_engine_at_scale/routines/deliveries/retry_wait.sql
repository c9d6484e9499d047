-- Full jitter: what failed together does not come again together. A Retry-After is the least that is waited, up to what the
-- lane obeys, and the jitter comes on top of it, at least a quarter of it: what was throttled together would come back together.
-- unauthorised: a minute, and up to another one by chance, whatever the attempt.
create or replace function gnomon_data.retry_wait(lane smallint, attempt int, reason text, retry_after interval) returns interval
language sql volatile
as $$
    select case when w.reason = 'unauthorised' then interval '1 min' * (1 + random())
                else w.asked + l.minimum + random() * (greatest(least(l.ceiling, l.base * power(2, least(attempt, 20) - 1)), w.asked / 4) - l.minimum) end
      from gnomon_data.retry_limits(retry_wait.lane) as l
     cross join lateral (select retry_wait.reason, greatest(least(coalesce(retry_after, '0 s'), l.obeyed_for), '0 s') as asked) as w
$$;

comment on function gnomon_data.retry_wait(smallint, int, text, interval) is
    'How long to wait after the given number of attempts, the last of which ended for this reason.';
