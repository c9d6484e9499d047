-- Classify first, and here only:
--   sent                 it ends
--   gone, refused        permanent, for the recipient or for the request: it ends. failed: the same without a reason
--   throttled, transient nothing was taken: another attempt. retry: the same without a reason
--   unclear, unknown     it may have been taken. Bulk ends, since better never than twice; the others go again with the same id
--   unauthorised         what the operator must mend: another attempt, slowly, and none is used up
-- ends_as null: it goes again, as far as attempts and time are left (next_attempt). A word that is not known goes again.
create or replace function gnomon_data.meaning_of(outcome text, lane smallint)
returns table (ends_as text, reason text)
language sql immutable parallel safe rows 1
as $$
    select case when meaning_of.outcome = 'sent' then 'sent'
                when meaning_of.outcome in ('failed', 'gone', 'refused') then 'failed'
                when meaning_of.outcome in ('unknown', 'unclear') and meaning_of.lane = 2 then 'unknown' end,
           case when meaning_of.outcome in ('gone', 'refused', 'throttled', 'transient', 'unclear', 'unauthorised') then meaning_of.outcome
                when meaning_of.outcome = 'unknown' then 'unclear' end
$$;

comment on function gnomon_data.meaning_of(text, smallint) is
    'What an outcome handed in means in a lane: how the delivery ends (null: it goes again), and the reason that is kept. An attempt that was unauthorised does not count.';
