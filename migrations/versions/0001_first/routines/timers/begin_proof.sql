-- The clock first, the xid second: a writer whose instant lies below clock_utc had its own xid before it read the
-- clock, so its xid is below ours. The other way round 48 rows of 4,000 were lost; snapshot_xmax in place of an own xid
-- lost one.
create or replace function gnomon.begin_proof(out clock_utc timestamptz, out xid text)
language plpgsql volatile security definer set search_path = ''
as $$
begin
    clock_utc := gnomon_data.now_utc();
    xid := pg_current_xact_id()::text;
end
$$;

comment on function gnomon.begin_proof() is 'First half of the proof of a safe mark; hand both values to prove_marks some time later.';
revoke all on function gnomon.begin_proof() from public;
grant execute on function gnomon.begin_proof() to gnomon_worker;
