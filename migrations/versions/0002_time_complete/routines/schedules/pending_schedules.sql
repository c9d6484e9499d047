create or replace function gnomon.pending_schedules(user_id text, at_most int default 20, after text default null)
returns setof gnomon.pending_schedule
language plpgsql volatile security definer set search_path = ''
as $$
declare
    after_at timestamptz := '-infinity';
    after_id uuid := '00000000-0000-0000-0000-000000000000';
begin
    if at_most is null or at_most not between 1 and 200 then
        perform gnomon_data.fail('GN024', 'limit must be between 1 and 200', pointer => '/limit');
    end if;
    if after is not null then
        if after !~ '^[0-9]{1,18}-[0-9a-f]{32}$' then
            perform gnomon_data.fail('GN024', 'after is no cursor of this list', 'pass the next of the page before, unchanged', '/after');
        end if;
        after_at := to_timestamp(0) + split_part(after, '-', 1)::bigint * interval '1 microsecond';
        after_id := split_part(after, '-', 2)::uuid;
    end if;
    return query
        select gnomon_data.id_text('sch', p.id), p.template_id, p.fire_at_utc, p.pattern, p.key, gnomon_data.lane_name(p.lane), p.time_zone,
               p.status, p.version,
               (extract(epoch from p.fire_at_utc) * 1000000)::bigint || '-' || replace(p.id::text, '-', '')
          from gnomon_data.pending_of_user(pending_schedules.user_id) as p
         where (p.fire_at_utc, p.id) > (after_at, after_id)
         order by p.fire_at_utc, p.id
         limit at_most;
end
$$;

comment on function gnomon.pending_schedules(text, int, text) is
    'What is pending for a user, by instant; at most 200. after: the cursor of the last row of the page before.';
revoke all on function gnomon.pending_schedules(text, int, text) from public;
grant execute on function gnomon.pending_schedules(text, int, text) to gnomon_caller, gnomon_reader;
