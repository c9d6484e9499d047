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

-- Zone data is versioned data: governments change their clocks, and an upgrade of the server brings that in without a
-- word. What the rules were when they were last looked at, so that a change of them can be seen and named.
create table gnomon_data.zone_fingerprints (
    time_zone text collate "C" not null constraint zone_fingerprints_pkey primary key,
    from_utc timestamptz not null,
    until_utc timestamptz not null,
    first_offset int not null,
    changes_at_utc timestamptz[] not null,
    offsets int[] not null,
    taken_at_utc timestamptz not null,
    taken_from text not null,
    constraint zone_fingerprints_not_empty check (from_utc < until_utc),
    constraint zone_fingerprints_offset_a_change check (cardinality(changes_at_utc) = cardinality(offsets))
);
comment on table gnomon_data.zone_fingerprints is
    'The rules of each zone over two years, as all pending instants have been computed by; written by take_fingerprints().';
comment on column gnomon_data.zone_fingerprints.first_offset is 'Seconds east of UTC at from_utc; offsets: those from each instant of changes_at_utc on.';
comment on column gnomon_data.zone_fingerprints.taken_from is 'The server and, where it tells, the version of its zone data.';

-- Days that schedules leave out, by name: one calendar serves many, and a change of it is one row.
create table gnomon_data.calendars (
    calendar text collate "C" not null constraint calendars_pkey primary key,
    folded text collate "C" not null,
    closed_on date[] not null,
    changed_at_utc timestamptz not null,
    constraint calendars_bounded check (cardinality(closed_on) <= 5000)
);
comment on table gnomon_data.calendars is 'Named calendars of days on which the schedules that name them do not fire.';
comment on column gnomon_data.calendars.folded is 'The name in lower case, for near misses.';
comment on column gnomon_data.calendars.closed_on is 'Sorted, each once.';

create index calendars_by_folded_name_idx on gnomon_data.calendars (folded);
