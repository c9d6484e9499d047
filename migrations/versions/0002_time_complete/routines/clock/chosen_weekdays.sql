-- A week without months to limit it has the same days each time, so its positions are settled once.
create or replace function gnomon_data.chosen_weekdays(days text, positions text, week_start text) returns text
language sql immutable parallel safe
as $$
    select string_agg(case when p.weekday = any (c.chosen) then '1' else '0' end, '' order by p.weekday)
      from generate_series(1, 7) as p (weekday)
     cross join (select array(select o.ordered[case when n::int > 0 then n::int else cardinality(o.ordered) + 1 + n::int end]
                                from string_to_table(positions, ',') as n) as chosen
                   from (select array(select w.place from gnomon_data.rrule_weekdays() as w where substr(days, w.place, 1) = '1'
                                       order by mod(w.place + 7 - coalesce((select s.place from gnomon_data.rrule_weekdays() as s
                                                                             where s.day = week_start), 1), 7)) as ordered) as o) as c
$$;

comment on function gnomon_data.chosen_weekdays(text, text, text) is
    'Those of the weekdays that stand at the positions of BYSETPOS in a week beginning on week_start (MO when null).';
