create or replace function gnomon_data.how_long(span interval) returns text
language sql immutable parallel safe
as $$
    select coalesce(string_agg(format('%s %s%s', count, unit, case when count = 1 then '' else 's' end), ' ' order by place),
                    'less than a second')
      from (select place, unit, count
              from (select floor(extract(epoch from span))::bigint as seconds) as s
              cross join lateral (values (1, 'day', seconds / 86400), (2, 'hour', seconds / 3600 % 24),
                                         (3, 'minute', seconds / 60 % 60), (4, 'second', seconds % 60)) as v (place, unit, count)
             where count > 0 order by place limit 2) as parts
$$;

comment on function gnomon_data.how_long(interval) is 'A span for people, in its two largest units: 3 days 2 hours. Independent of the session''s settings.';
