create or replace function gnomon_data.span_words(seconds numeric) returns text
language sql immutable parallel safe
as $$
    select gnomon_data.listed(array_agg(format('%s %s%s', trim_scale(count), unit, case count when 1 then '' else 's' end) order by place))
      from (values (1, 'day', trunc(seconds / 86400)), (2, 'hour', trunc(seconds % 86400 / 3600)), (3, 'minute', trunc(seconds % 3600 / 60)),
                   (4, 'second', seconds % 60)) as v (place, unit, count)
     where count > 0
$$;

comment on function gnomon_data.span_words(numeric) is 'A length of time in words, exact: 1 hour and 30 minutes.';
