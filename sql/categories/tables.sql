-- What kind of notification it is, and what such a one has where its request says nothing. The lane is read when a request is
-- accepted, channels and expiry when it fires. A dropped one keeps its row: what is pending goes on by it, and an upgrade does
-- not make it again.
create table gnomon_data.categories (
    name text collate "C" not null constraint categories_pkey primary key,
    lane smallint not null,
    channels text[],
    expires_for interval,
    description text,
    changed_at_utc timestamptz not null,
    dropped_at_utc timestamptz,
    constraint categories_lane_known check (lane between 0 and 2)
);
comment on table gnomon_data.categories is 'Categories: lane, channels and expiry of the schedules that name one.';
comment on column gnomon_data.categories.dropped_at_utc is 'No new request may name it; what is pending keeps its channels and expiry.';
