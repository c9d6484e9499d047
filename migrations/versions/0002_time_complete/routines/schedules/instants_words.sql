create or replace function gnomon_data.instants_words(when_words jsonb) returns jsonb
language sql immutable parallel safe
as $$ select (when_words - array['expires_at', 'expires_in', 'misfire', 'misfire_limit', 'max_lateness']) #- '{recurrence,end_after}' $$;

comment on function gnomon_data.instants_words(jsonb) is 'The words that decide instants: when_words without limits, which decide only how long and how often.';
