-- What the text looks like, not whether it is valid: the reader of that form then says what is wrong with it, so that
-- 24:00 is told about local times and 2027-02-30T09:00:00Z about dates.
create or replace function gnomon_data.form_of(schedule_at text) returns text
language sql immutable parallel safe
as $$
    select case
        when schedule_at ~ '^[0-9]{4}-?[0-9]{2}' then 'absolute_utc'
        when schedule_at ~* '^t?[0-9]{1,2}([:.]| ?[ap][.]?m)|^[0-9]{3,4}$' then 'user_local_time'
        when schedule_at ~* '^[+-]?p[0-9t]|^in |^-?[0-9]+ *[a-z]' then 'relative'
    end
$$;

comment on function gnomon_data.form_of(text) is
    'Which schedule_type a schedule_at looks like: absolute_utc, relative, user_local_time; null for none of them.';
