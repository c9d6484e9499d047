create or replace function gnomon_data.moved_schedule(s gnomon_data.schedules, time_zone text, now_utc timestamptz) returns gnomon_data.schedules
language plpgsql stable
as $$
declare
    found record;
begin
    if s.due_at_utc > now_utc then
        select r.due_at_utc, r.kind, s.nominal_local into found
          from gnomon_data.due_of_reading(s.rule, moved_schedule.time_zone, s.nominal_local) as r;
        if found.due_at_utc is null then
            -- on_gap skip, and the reading does not exist there: the one behind it, never one that has fired. Cron at all
            -- hours goes by instants.
            select n.due_at_utc, n.kind, n.nominal_local into found
              from gnomon_data.next_occurrence(s.rule, moved_schedule.time_zone,
                coalesce(gnomon_data.after_reading(s.rule, moved_schedule.time_zone, s.nominal_local), greatest(now_utc, s.last_due_at_utc))) as n;
        end if;
        if found.due_at_utc is not null then
            s.due_at_utc := found.due_at_utc;
            s.resolution := found.kind;
            s.nominal_local := found.nominal_local;
        end if;
        s.fire_at_utc := greatest(gnomon_data.spread(s.id, s.due_at_utc, s.window_for), s.last_due_at_utc + interval '1 ms');
    end if;
    s.stamp := gnomon_data.next_stamp(s.stamp, now_utc);
    s.time_zone := moved_schedule.time_zone;
    s.time_zone_source := 'user';
    s.version := s.version + 1;
    return s;
end
$$;

comment on function gnomon_data.moved_schedule(gnomon_data.schedules, text, timestamptz) is
    'A schedule whose pending reading is read in another zone; one that is due keeps its instant.';
