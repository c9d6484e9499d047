-- Full jitter: anywhere between now and the ceiling of this attempt, so that what failed together does not come again
-- together. 1 s base, doubled each time, 10 min ceiling; never before what the provider asked for.
create or replace function gnomon_data.retry_at(attempt int, retry_after interval, now_utc timestamptz) returns timestamptz
language sql volatile
as $$
    select now_utc + greatest(coalesce(retry_after, '0 s'),
        random() * make_interval(secs => least(600, power(2, least(attempt, 20) - 1))))
$$;

comment on function gnomon_data.retry_at(int, interval, timestamptz) is 'When to try again after the given number of attempts.';
