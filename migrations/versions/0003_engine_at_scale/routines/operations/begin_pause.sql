-- Pauses, resumes and reschedules take effect in the order of their places, so their transactions come one after the other. Claims
-- need no gate: what has been fired goes out, and a fire that did not see this comes to nothing beyond its look-ahead.
create or replace function gnomon_data.begin_pause(
    kind text, scope text, name text, value text, change jsonb default null) returns gnomon.operation
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
    insert into gnomon_data.operations (id, kind, scope, name, value, created_at_utc, resume_at_utc, change)
    values (known_id, kind, scope, name, value, now_utc, now_utc, change);
    insert into gnomon_data.mass_pauses (operation_id, target, is_resume, changes_at_utc, merge)
    values (known_id, gnomon_data.target_of(scope, name, value), kind = 'resume', case when kind = 'reschedule' then now_utc end,
            case when kind = 'reschedule' then gnomon_data.read_change(change) end);
    return gnomon_data.operation_of(known_id);
end
$$;

comment on function gnomon_data.begin_pause(text, text, text, text, jsonb) is
    'Puts a mass pause, resume or reschedule in effect from the commit on. Waits for others whose transactions are open: 55P03 after 5 s.';
