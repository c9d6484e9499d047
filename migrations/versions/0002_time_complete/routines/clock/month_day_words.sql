-- Dates, nth weekdays and plain weekdays of a month, whatever kind of rule has them.
create or replace function gnomon_data.month_day_words(rule jsonb, out dates text, out weekdays text)
language plpgsql immutable parallel safe
as $$
declare
    words text[];
    names constant text[] := '{Monday,Tuesday,Wednesday,Thursday,Friday,Saturday,Sunday}';
begin
    select array_agg(case when d < 0 then 'the ' || gnomon_data.ordinal(d) || ' day' else 'the ' || gnomon_data.ordinal(d) end order by d < 0, d)
      into words
      from (select e::int as d from jsonb_array_elements_text(rule->'month_days') as e
            union select n from generate_series(1, 31) as n where substr(rule->>'dates', n, 1) = '1'
            union select -1 where rule ? 'last_day') as days;
    if cardinality(words) > 4 and rule ? 'dates' and not rule ? 'last_day' then
        words := array[gnomon_data.mask_words(rule->>'dates', array(select 'the ' || gnomon_data.ordinal(n) from generate_series(1, 31) as n))];
    end if;
    dates := gnomon_data.listed(words);
    select array_agg(format('the %s %s', gnomon_data.ordinal(n), names[weekday]) order by n < 0, n, weekday) into words
      from (select distinct (p->>0)::int as n, (p->>1)::int as weekday
              from jsonb_array_elements(coalesce(rule->'nth', rule->'nth_of_year')) as p) as pairs;
    if rule->>'days' ~ '1' then
        words := words || ('every ' || gnomon_data.weekday_words(rule->>'days'));
    end if;
    weekdays := gnomon_data.listed(words);
end
$$;

comment on function gnomon_data.month_day_words(jsonb) is
    'The days of a month that a rule has, in words: dates (the 1st and the last day) and weekdays (the 2nd Tuesday, every Friday); null for none.';
