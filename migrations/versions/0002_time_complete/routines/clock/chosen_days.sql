-- BYSETPOS: the positions are those of the whole set of the period, also where part of it lies before the first day.
create or replace function gnomon_data.chosen_days(days int[], set_pos jsonb) returns int[]
language sql immutable parallel safe
as $$
    select array(
        select days[case when p::int > 0 then p::int else cardinality(days) + 1 + p::int end]
          from jsonb_array_elements_text(set_pos) as p
         where abs(p::int) <= cardinality(days) group by 1 order by 1)
$$;

comment on function gnomon_data.chosen_days(int[], jsonb) is 'Those of the sorted days that stand at the positions, from 1 or from -1 at the end.';
