-- Which time zones exist. PostgreSQL itself takes far more for a zone: UTC+3 (minus three hours), FOO+5, EST, CET (an
-- hour wrong all summer), any case. Nothing but a name of this table may ever reach AT TIME ZONE.
-- The view pg_timezone_names costs 25 ms a look, an index look-up here a few microseconds.
create table gnomon_data.time_zones (
    time_zone text collate "C" not null constraint time_zones_pkey primary key,
    folded text collate "C" not null,
    city text collate "C" not null
);
comment on table gnomon_data.time_zones is 'The time zones that requests may name; filled by load_time_zones().';
comment on column gnomon_data.time_zones.folded is 'The name in lower case, for near misses.';
comment on column gnomon_data.time_zones.city is 'The last part of the name in lower case, for near misses.';

create index time_zones_by_folded_name_idx on gnomon_data.time_zones (folded);
create index time_zones_by_city_idx on gnomon_data.time_zones (city);
