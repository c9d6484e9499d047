-- The words of an attempt's end, once for SQL; pollers/gnomon_pollers/channels/channel.py holds them for Python, tests compare.
-- The first four are for consumers that tell no more than what to do; the others say why, and are kept as the reason.
create or replace function gnomon_data.outcome_words() returns text[]
language sql immutable parallel safe
as $$
    select array['sent', 'retry', 'failed', 'unknown', 'gone', 'refused', 'throttled', 'transient', 'unclear', 'unauthorised']
$$;

comment on function gnomon_data.outcome_words() is 'What an outcome handed in may say; gnomon_data.meaning_of tells what follows.';
