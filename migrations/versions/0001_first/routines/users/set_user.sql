create or replace function gnomon.set_user(user_id text, time_zone text default null, locale text default null) returns gnomon.user_set
language plpgsql volatile security definer set search_path = ''
as $$
declare
    fault gnomon_data.fault;
    answer gnomon.user_set;
begin
    fault := gnomon_data.user_fault(user_id, time_zone, locale);
    perform gnomon_data.raise_fault(fault);
    answer := gnomon_data.write_user(user_id, time_zone, locale);
    return answer;
end
$$;

comment on function gnomon.set_user(text, text, text) is
    'Tells a user''s time zone and locale; null leaves what is known. Schedules that follow the user move with a new zone, in this transaction. GN010, GN024.';
revoke all on function gnomon.set_user(text, text, text) from public;
grant execute on function gnomon.set_user(text, text, text) to gnomon_caller;
