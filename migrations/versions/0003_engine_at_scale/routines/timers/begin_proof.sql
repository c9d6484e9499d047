-- The clock first, the xid second: a writer whose instant lies below clock_utc had its own xid before it read the
-- clock, so its xid is below ours. The other way round 48 rows of 4,000 were lost; snapshot_xmax in place of an own xid
-- lost one. Two seconds less than the clock says: a clock that is set back by less than that, as one that is corrected may be,
-- lets nobody write below a mark; by more, and the pollers begin anew when they see it.
create or replace function gnomon.begin_proof(out clock_utc timestamptz, out xid text)
language plpgsql volatile security definer set search_path = ''
as $$
begin
    clock_utc := gnomon_data.now_utc() - interval '2 s';
    xid := pg_current_xact_id()::text;
end
$$;

comment on function gnomon.begin_proof() is 'First half of the proof of a safe mark; hand both values to prove_marks some time later.';
revoke all on function gnomon.begin_proof() from public;
grant execute on function gnomon.begin_proof() to gnomon_worker;
