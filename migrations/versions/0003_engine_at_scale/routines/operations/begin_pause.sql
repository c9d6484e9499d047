-- Pauses and resumes take effect in the order of their places, so their transactions come one after the other. Claims
-- need no gate: what has been fired goes out, and a fire that did not see this comes to nothing beyond its look-ahead.
create or replace function gnomon_data.begin_pause(kind text, scope text, name text, value text) returns gnomon.operation
language plpgsql volatile set search_path = ''
set lock_timeout = '5s'
as $$
declare
    known_id uuid;
    now_utc timestamptz;
begin
    perform pg_current_xact_id();
    perform pg_advisory_xact_lock(gnomon_data.lock_class() + 1, 0);
    now_utc := gnomon_data.now_utc();
    known_id := gnomon_data.new_id(0::smallint, now_utc);
    insert into gnomon_data.operations (id, kind, scope, name, value, created_at_utc, resume_at_utc)
    values (known_id, kind, scope, name, value, now_utc, now_utc);
    insert into gnomon_data.mass_pauses (operation_id, target, is_resume)
    values (known_id, gnomon_data.target_of(scope, name, value), kind = 'resume');
    return gnomon_data.operation_of(known_id);
end
$$;

comment on function gnomon_data.begin_pause(text, text, text, text) is
    'Puts a mass pause or resume in effect from the commit on. Waits for others whose transactions are open: 55P03 after 5 s.';
