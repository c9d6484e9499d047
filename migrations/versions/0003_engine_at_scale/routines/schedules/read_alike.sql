-- Many requests of one call say the same in most of their words. What differs from item to item (who, which key, params,
-- labels, the instant or local time, the zone) is taken out; what is left, the shape, is read once, by read_request as any
-- request is. Then what shares shape, time and zone is placed once.
-- Only what can be read goes this way. An item that may have a fault is null here and is read word by word by the caller:
-- one place decides what is wrong and says it. A test holds both ways against each other.
-- The planner knows nothing of the size of these sets, and ten thousand in a nested loop would be a hundred million steps.
create or replace function gnomon_data.read_alike(requests jsonb, now_utc timestamptz) returns gnomon_data.draft[]
language sql volatile
set enable_nestloop = off set enable_mergejoin = off
as $$
    with item as materialized (
        select e.ordinality::int as ordinal, e.value as n, e.value ->> 'schedule_at' as at_word, e.value ->> 'timezone' as time_zone,
               e.value ? 'recurrence' as has_recurrence, e.value #>> '{recurrence,pattern}' as pattern
          from jsonb_array_elements(requests) with ordinality as e
         where gnomon_data.is_plain(e.value)
    ), word as materialized (
        select w.at_word, (gnomon_data.read_local_time(w.at_word, '')).local_time,
               case when gnomon_data.form_of(w.at_word) = 'absolute_utc' then (gnomon_data.read_instant(w.at_word, '')).at_utc end as at_utc
          from (select distinct i.at_word from item as i) as w
    ), formed as materialized (
        select i.*, w.local_time, w.at_utc, i.n - array['user_id', 'key', 'dedup_key', 'params', 'labels', 'timezone'] as shape,
               case when w.local_time is not null and (not i.has_recurrence or i.pattern in ('daily', 'weekly', 'monthly', 'yearly')) then 'time'
                    when w.at_utc is not null and not i.has_recurrence then 'instant'
                    else 'words' end as form
          from item as i left join word as w on w.at_word = i.at_word
         where i.time_zone is null or i.time_zone in (select z.time_zone from gnomon_data.time_zones as z)
    ), shaped as materialized (
        select f.ordinal, f.n, f.at_word, f.local_time, f.at_utc, f.form, f.time_zone, case f.form
                   when 'time' then f.shape || jsonb '{"schedule_at": "00:00"}'
                   when 'instant' then f.shape || jsonb '{"schedule_at": "2000-01-01T00:00:00Z"}'
                   else f.shape end as shape
          from formed as f
    ), distinct_shape as materialized (
        select distinct f.shape from shaped as f
    ), shape as materialized (
        select s.shape, row_number() over () as id, r as d, gnomon_data.has_readings(r.compiled) as has_readings, gnomon_data.channel_warnings(coalesce(r.channels, gnomon_data.category_channels(r.category))) as warnings,
               make_interval(secs => coalesce((r.compiled -> 'offset')::float8, 0)) as offset_for
          from distinct_shape as s cross join lateral gnomon_data.read_request(s.shape || jsonb '{"user_id": "-"}', 0) as r
         where s.shape - gnomon_data.field_names('built') = '{}' and position('null' in s.shape::text) = 0
           and (r.fault).code is null and not r.compiled ? 'calendars'
    ), followed as materialized (
        select u.user_id, z.time_zone, z.source
          from (select distinct f.n ->> 'user_id' as user_id from shaped as f join shape as s on s.shape = f.shape
                 where f.time_zone is null and s.has_readings) as u
         cross join lateral gnomon_data.zone_of_user(gnomon_data.shard_of(u.user_id), u.user_id) as z
    ), zoned as materialized (
        -- What is not there is an empty word or an hour that is none, so that all of it can be compared and hashed.
        select f.ordinal, f.n, s.id, coalesce(f.time_zone, u.time_zone, '') as time_zone,
               coalesce(case when f.time_zone is not null then 'request' else u.source end, '') as source,
               case when f.form = 'time' then f.local_time else time '24:00' end as local_time,
               case when f.form = 'instant' then f.at_utc end as at_utc
          from shaped as f join shape as s on s.shape = f.shape
          left join followed as u on f.time_zone is null and s.has_readings and u.user_id = f.n ->> 'user_id'
         where f.form <> 'instant' or (s.d).wanted_if_past is distinct from 'next' and (s.d).expires_at_utc is null
               and f.at_utc + s.offset_for between now_utc and now_utc + interval '10 years'
    ), placed as materialized (
        select g.*, gnomon_data.place_alike(s.d, s.warnings, g.is_ahead, nullif(g.local_time, time '24:00'), nullif(g.time_zone, ''), nullif(g.source, ''), now_utc) as d
          from (select distinct z.id, z.at_utc is not null as is_ahead, z.local_time, z.time_zone, z.source from zoned as z) as g
          join shape as s on s.id = g.id
    ), own as materialized (
        select z.ordinal, gnomon_data.own_draft(p.d, z.n, z.ordinal, z.at_utc, now_utc) as d
          from zoned as z
          join placed as p on p.id = z.id and p.local_time = z.local_time and p.time_zone = z.time_zone and p.source = z.source
    )
    select array_agg(o.d order by n.n) from generate_series(1, jsonb_array_length(requests)) as n left join own as o on o.ordinal = n.n
$$;

comment on function gnomon_data.read_alike(jsonb, timestamptz) is
    'The drafts of an array of requests as read_request and place_draft make them, null where an item has to be read word by word.';
