-- Looks at the definitions in the order of their ids and stops when the page is full; without a change of zone data it
-- looks at none. What is due already is left alone: it fires as it is.
create or replace function gnomon.retime_plan(at_most int default 100, after text default null, time_zones text[] default null)
returns table (schedule_id text, user_id text, time_zone text, local_time timestamp, from_utc timestamptz, to_utc timestamptz)
language plpgsql stable security definer set search_path = ''
set enable_seqscan = off set enable_sort = off
as $$
declare
    now_utc constant timestamptz := gnomon_data.now_utc();
    changed constant text[] := gnomon_data.zones_to_retime(time_zones);
    last uuid := case when after is not null then gnomon_data.id_of('sch', after) end;
begin
    if at_most is null or at_most not between 1 and 10000 then
        perform gnomon_data.fail('GN024', 'at_most must be 1 to 10,000', pointer => '/at_most');
    end if;
    for home in coalesce(gnomon_data.shard_of_id(last), 0)..63 loop
        exit when at_most <= 0 or cardinality(changed) = 0;
        for schedule_id, user_id, time_zone, local_time, from_utc, to_utc in
            select gnomon_data.id_text('sch', s.id), s.user_id, s.time_zone, r.to_local, s.due_at_utc, r.to_utc
              from gnomon_data.schedules as s
             cross join lateral gnomon_data.retimed_instant(s.rule, s.time_zone, s.due_at_utc, s.nominal_local, s.last_due_at_utc, now_utc) as r
             where s.shard = home and s.id > coalesce(last, '00000000-0000-0000-0000-000000000000') and s.time_zone = any (changed)
               and gnomon_data.reads_zone(s.rule) and s.due_at_utc > now_utc and r.to_utc <> s.due_at_utc
             order by s.id limit at_most
        loop
            at_most := at_most - 1;
            return next;
        end loop;
        last := null;
    end loop;
end
$$;

comment on function gnomon.retime_plan(int, text, text[]) is
    'The pending schedules whose instant is another by the zone rules of today, in the order of their ids behind after: from when to when. time_zones: which zones to look at, else those that changed. Ask in a new session. GN010, GN020, GN024.';
revoke all on function gnomon.retime_plan(int, text, text[]) from public;
grant execute on function gnomon.retime_plan(int, text, text[]) to gnomon_reader, gnomon_worker;
