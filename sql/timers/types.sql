create type gnomon.fire_result as (
    taken_count int, fired_count int, set_back_count int, stale_count int, expired_count int,
    is_full boolean
);
comment on type gnomon.fire_result is 'What one fire call did; is_full: a limit was reached, poll again at once.';
