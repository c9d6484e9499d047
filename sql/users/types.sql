create type gnomon.user_set as (user_id text, time_zone text, locale text, moved_count int, pinned_count int);
comment on type gnomon.user_set is
    'What is known of a user now; moved_count schedules followed a new time zone, pinned_count named their own and stayed.';

create type gnomon.user_item as (ordinal int, user_id text, moved_count int, error_code text, error_detail text, error_hint text);
comment on type gnomon.user_item is 'One answer of set_users; ordinal counts from 1; error_code is null when the user was set.';

create type gnomon.known_user as (user_id text, time_zone text, locale text);
comment on type gnomon.known_user is 'What is known of a user.';
