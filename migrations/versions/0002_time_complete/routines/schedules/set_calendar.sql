-- What is pending moves in this transaction, not in batches after it: from the commit on nothing fires on a day that the
-- calendar closes. Next year's holidays move nothing today, so this is short where it matters.
-- All users of the calendar are locked first, also those that need no move: a fire under way has computed its next day by
-- the old dates, and only its row lock makes us wait for it. A fire that comes later passes by what is locked, and an
-- acceptance waits for the name (lock_calendar).
create or replace function gnomon.set_calendar(calendar text, dates date[]) returns gnomon.calendar_set
language plpgsql volatile security definer set search_path = ''
set enable_seqscan = off
as $$
declare
    given date[];
    known date[];
    closed date[];
    opened date[];
    now_utc timestamptz;
    s gnomon_data.schedules;
    answer gnomon.calendar_set;
begin
    perform gnomon_data.raise_fault(gnomon_data.calendar_name_fault(calendar));
    if dates is null or cardinality(dates) > 5000 then
        perform gnomon_data.fail('GN024', 'dates must be an array of up to 5000 dates', 'an empty one opens every day', '/dates');
    elsif exists (select from unnest(dates) as d where d is null or d not between date '0001-01-01' and date '9999-12-31') then
        perform gnomon_data.fail('GN014', 'dates must be dates of the years 1 to 9999', pointer => '/dates');
    end if;
    given := array(select distinct d from unnest(dates) as d order by d);
    answer := row(calendar, cardinality(given), 0, 0);
    perform gnomon_data.require_read_committed();
    perform pg_current_xact_id();
    perform gnomon_data.lock_calendar(calendar, false);
    select c.closed_on into known from gnomon_data.calendars as c where c.calendar = set_calendar.calendar;
    if known = given then
        return answer;
    end if;
    insert into gnomon_data.calendars as c (calendar, folded, closed_on, changed_at_utc)
    values (set_calendar.calendar, lower(set_calendar.calendar), given, gnomon_data.now_utc())
    on conflict on constraint calendars_pkey do update set closed_on = excluded.closed_on, changed_at_utc = excluded.changed_at_utc;
    if known is null then
        return answer;
    end if;
    perform from gnomon_data.schedules_recurring as x
      where x.rule ? 'calendars' and x.rule -> 'calendars' ? set_calendar.calendar order by x.shard, x.id for update;
    now_utc := gnomon_data.now_utc();
    closed := array(select unnest(given) except select unnest(known));
    opened := array(select unnest(known) except select unnest(given));
    for s in
        select x.* from gnomon_data.schedules_recurring as x
         where x.rule ? 'calendars' and x.rule -> 'calendars' ? set_calendar.calendar order by x.shard, x.id for update
    loop
        case gnomon_data.recalendar_schedule(s, calendar, closed, opened, now_utc)
            when 'moved' then answer.moved_count := answer.moved_count + 1;
            when 'ended' then answer.ended_count := answer.ended_count + 1;
            else null;
        end case;
    end loop;
    return answer;
end
$$;

comment on function gnomon.set_calendar(text, date[]) is
    'Makes or replaces a calendar: days on which the schedules that name it in exclude_calendars do not fire. Pending occurrences move in this transaction, which must be READ COMMITTED. GN014, GN024.';
revoke all on function gnomon.set_calendar(text, date[]) from public;
grant execute on function gnomon.set_calendar(text, date[]) to gnomon_caller;
