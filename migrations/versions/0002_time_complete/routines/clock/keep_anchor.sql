-- Another time of day is no other rhythm: the weekday or day of the month, the week or month that "every 2" counts from, stay.
-- So does the instant that elapsed time counts from, unless schedule_at says another: a delay counts from the call that gave it.
create or replace function gnomon_data.keep_anchor(compiled jsonb, old jsonb, is_same_time boolean) returns jsonb
language sql immutable parallel safe
as $$
    select case when compiled ? 'in' and is_same_time then compiled - 'in'
                when old ? 'end' and compiled ? 'count' then compiled - 'count' else compiled end
        || coalesce((select jsonb_object_agg(e.key, e.value) from jsonb_each(old) as e
                      where e.key = any (array['days', 'month_days', 'months', 'anchor', 'end']) and not compiled ? e.key
                         or e.key = 'from' and not compiled ? 'from' and (is_same_time or not compiled ? 'in')), '{}')
$$;

comment on function gnomon_data.keep_anchor(jsonb, jsonb, boolean) is
    'A compiled rule with what the stored one of the same recurrence took from its first day. is_same_time: schedule_at is the same as well.';
