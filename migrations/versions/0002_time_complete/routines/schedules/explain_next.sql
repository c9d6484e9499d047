create or replace function gnomon_data.explain_next(s gnomon_data.schedules) returns jsonb
language plpgsql stable
as $$
declare
    spread_for constant interval := s.fire_at_utc - s.due_at_utc;
begin
    return gnomon_data.explain_instant(s.rule, s.time_zone, s.due_at_utc, s.nominal_local, s.resolution)
        || jsonb_build_object('fire_at', gnomon_data.rfc3339(s.fire_at_utc))
        || case when s.window_for is null then '{}' else jsonb_build_object('spread', jsonb_build_object(
               'window', gnomon_data.span_words(extract(epoch from s.window_for)), 'later_by', gnomon_data.how_long(spread_for),
               'why', 'A fixed place in the window, from the id and the due instant: the same however often it is computed.')) end
        || jsonb_build_object('then', coalesce((
               with recursive series as (
                   select s.due_at_utc as due_at_utc, s.nominal_local as nominal_local, s.resolution as kind, 0 as n
                   union all
                   select o.due_at_utc, o.nominal_local, o.kind, r.n + 1
                     from series as r cross join lateral gnomon_data.next_occurrence(s.rule, s.time_zone, r.due_at_utc) as o
                    where s.is_recurring and o.due_at_utc is not null and r.n < 3
                      and coalesce(s.fired_count + r.n + 1 < (s.rule ->> 'end_after')::int, true)
               )
               select jsonb_agg(gnomon_data.explain_instant(s.rule, s.time_zone, r.due_at_utc, r.nominal_local, r.kind) order by r.n)
                 from series as r where r.n > 0), '[]'));
end
$$;

comment on function gnomon_data.explain_next(gnomon_data.schedules) is
    'The pending occurrence of a schedule explained, its place in the window, and the three that follow.';
