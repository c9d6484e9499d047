create or replace function gnomon.preview_schedule(schedule_id text, at_most int default 10) returns setof gnomon.occurrence
language plpgsql stable security definer set search_path = ''
as $$
declare
    known_id constant uuid := gnomon_data.id_of('sch', schedule_id);
    s gnomon_data.schedules;
begin
    if at_most is null or at_most not between 1 and 1000 then
        perform gnomon_data.fail('GN024', 'n must be between 1 and 1000', pointer => '/n');
    end if;
    select x.* into s from gnomon_data.schedules as x where x.shard = gnomon_data.shard_of_id(known_id) and x.id = known_id;
    if s.id is null then
        perform gnomon_data.ended_details(gnomon_data.shard_of_id(known_id), known_id);
        return;
    end if;
    return query
        with recursive series as (
            select s.due_at_utc as due_at_utc, s.resolution as kind, 1 as n
            union all
            select o.due_at_utc, o.kind, r.n + 1
              from series as r cross join lateral gnomon_data.next_occurrence(s.rule, s.time_zone, r.due_at_utc) as o
             where s.is_recurring and o.due_at_utc is not null and r.n < at_most
               and (s.rule ->> 'end_after' is null or s.fired_count + r.n < (s.rule ->> 'end_after')::int)
        )
        select r.due_at_utc, l.shown, l.shown - (r.due_at_utc at time zone 'UTC'), r.kind
          from series as r cross join lateral (select r.due_at_utc at time zone coalesce(s.time_zone, 'UTC') as shown) as l
         order by r.n;
end
$$;

comment on function gnomon.preview_schedule(text, int) is
    'The next due instants of a schedule, before any window, with local time, offset and kind; none for one that is over. GN020 for an unknown id.';
revoke all on function gnomon.preview_schedule(text, int) from public;
grant execute on function gnomon.preview_schedule(text, int) to gnomon_caller, gnomon_reader;
