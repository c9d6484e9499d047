-- The order is what makes it true: first the target is told (an advisory lock is seen before anything commits), then those
-- are waited for that may not have seen it: claims behind the gate, and claims that went past an open cancel. From here
-- until the commit claims hold back what we mean; after it they see the row.
create or replace function gnomon_data.begin_cancel(scope text, name text, value text) returns gnomon.operation
language plpgsql volatile set search_path = ''
set lock_timeout = '5s'
as $$
declare
    target constant text := gnomon_data.target_of(scope, name, value);
    known_id uuid;
    now_utc timestamptz;
begin
    perform pg_current_xact_id();
    perform pg_advisory_xact_lock(gnomon_data.lock_class(), gnomon_data.hash_of_target(target));
    lock table gnomon_data.mass_gate in share mode;
    perform gnomon_data.await_claims();
    now_utc := gnomon_data.now_utc();
    known_id := gnomon_data.new_id(0::smallint, now_utc);
    insert into gnomon_data.operations (id, kind, scope, name, value, created_at_utc, resume_at_utc)
    values (known_id, 'cancel', scope, name, value, now_utc, now_utc);
    insert into gnomon_data.mass_cancels (operation_id, target) values (known_id, target);
    return gnomon_data.operation_of(known_id);
end
$$;

comment on function gnomon_data.begin_cancel(text, text, text) is
    'Puts a mass cancel in effect from the commit on. Waits for claims under way: 55P03 after 5 s.';
