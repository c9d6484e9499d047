-- A user exists here when somebody told us a time zone or a locale; a schedule for a user without a row is welcome.
create table gnomon_data.users (
    shard smallint not null,
    user_id text not null,
    time_zone text,
    locale text,
    constraint users_pkey primary key (shard, user_id),
    constraint users_shard_is_of_user check (shard between 0 and 63)
)
-- set_users repeats the caller's whole table every night: room on the page keeps those updates HOT.
with (fillfactor = 85);
comment on table gnomon_data.users is 'What is known of a user: IANA time zone and locale.';
