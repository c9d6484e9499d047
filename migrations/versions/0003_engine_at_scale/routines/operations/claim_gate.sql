-- What a claim asks before it hands anything over; it waits for nobody.
--   The gate passed   no mass cancel is open, and one that comes now waits until this claim has committed.
--   The gate held     one is open: what it is about is not visible yet, but it holds an advisory lock on it, so that what it
--                     means can be held back and the rest goes on. One that comes now waits for this claim, too: it finds
--                     the advisory lock that the claim takes here, shared, which nobody ever takes in another mode.
-- Only then, in a statement of its own, the cancels in effect: one that had committed before the lock was looked at is seen.
create or replace function gnomon_data.claim_gate(out has_any boolean, out open_hashes bigint[])
language plpgsql volatile set search_path = ''
as $$
begin
    begin
        lock table gnomon_data.mass_gate in row exclusive mode nowait;
    exception when lock_not_available then
        perform pg_advisory_xact_lock_shared(gnomon_data.lock_class(), -1);
        open_hashes := gnomon_data.open_hashes();
    end;
    has_any := open_hashes is not null or gnomon_data.has_cancels() or gnomon_data.has_changes();
end
$$;

comment on function gnomon_data.claim_gate() is
    'Whether mass cancels are in effect or open or mass reschedules in effect, and the hashes of the targets of open ones. Holds every later one until this transaction ends.';
