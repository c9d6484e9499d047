-- A year of a yearly rule that chooses by position, or by "the 20th Monday of the year". Days are counted from 1 January.
create or replace function gnomon_data.days_of_year(rule jsonb, year int) returns date[]
language plpgsql immutable parallel safe
as $$
declare
    first_on constant date := make_date(year, 1, 1);
    length constant int := make_date(year, 12, 31) - first_on + 1;
    days int[];
begin
    days := array(select distinct m.month_on - first_on + d
                    from (select make_date(year, n, 1) as month_on from generate_series(1, 12) as n
                           where substr(rule->>'months', n, 1) = '1') as m
                   cross join lateral unnest(gnomon_data.days_of_month(rule - 'nth_of_year', m.month_on)) as d order by 1);
    if rule ? 'nth_of_year' then
        days := days || array(
            select d from (select (pair->0)::int as n, 1 + mod((pair->1)::int - extract(isodow from first_on)::int + 7, 7) as first
                             from jsonb_array_elements(rule->'nth_of_year') as pair) as p
             cross join lateral (select first + 7 * (case when n > 0 then n - 1 else (length - first) / 7 + 1 + n end) as d) as v
             where d between 1 and length);
        days := array(select distinct d from unnest(days) as d order by d);
    end if;
    if rule ? 'set_pos' then
        days := gnomon_data.chosen_days(days, rule->'set_pos');
    end if;
    return array(select first_on + d - 1 from unnest(days) as d order by 1);
end
$$;

comment on function gnomon_data.days_of_year(jsonb, int) is 'The dates of one year of a yearly rule, sorted, its positions chosen.';
