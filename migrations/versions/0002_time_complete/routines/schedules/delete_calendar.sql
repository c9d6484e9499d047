create or replace function gnomon.delete_calendar(calendar text) returns boolean
language plpgsql volatile security definer set search_path = ''
set enable_seqscan = off
as $$
declare
    user_count bigint;
begin
    perform gnomon_data.lock_calendar(coalesce(calendar, ''), false);
    select count(*) into user_count
      from (select from gnomon_data.schedules_recurring as x
             where x.rule ? 'calendars' and x.rule -> 'calendars' ? delete_calendar.calendar limit 1001) as u;
    if user_count > 0 then
        perform gnomon_data.fail('GN024', format('calendar %s is in use by %s schedules', gnomon_data.quoted(calendar),
            case when user_count > 1000 then 'more than 1000' else user_count::text end),
            'gnomon.set_calendar with no dates opens every day; then change or cancel them', '/calendar');
    end if;
    delete from gnomon_data.calendars as c where c.calendar = delete_calendar.calendar;
    return found;
end
$$;

comment on function gnomon.delete_calendar(text) is
    'Forgets a calendar that no pending schedule names; false when it was not known. GN024 while one does.';
revoke all on function gnomon.delete_calendar(text) from public;
grant execute on function gnomon.delete_calendar(text) to gnomon_caller;
