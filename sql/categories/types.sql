create type gnomon.category as (
    name text, lane text, channels text[], expires_for interval, description text, changed_at_utc timestamptz
);
comment on type gnomon.category is
    'What the schedules that name a category have where they say nothing themselves; null channels: the installation''s, null expires_for: never.';
