create or replace function gnomon_data.even_step(numbers int[]) returns int
language sql immutable parallel safe
as $$
    select case when count(distinct step) = 1 then min(step) end
      from (select n - lag(n) over (order by n) as step from unnest(numbers) as n) as steps where step is not null
$$;

comment on function gnomon_data.even_step(int[]) is 'How far apart sorted numbers are, when that is the same everywhere; null for one number and for others.';
