-- One piece of the operation that has waited longest. Its first walk begins once the cancel is visible here and an xid taken
-- behind it; when every transaction below that xid has ended, nobody can bring anything any more that came before the cancel
-- and has not seen it. A walk that began then and passed nothing by was the last: the operation goes out of effect, since
-- nothing is left that it could mean.
create or replace function gnomon.sweep_operations(at_most int default 200) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
declare
    now_utc timestamptz;
    o gnomon_data.operations;
begin
    if at_most is null or at_most not between 1 and 10000 then
        perform gnomon_data.fail('GN024', 'at_most must be 1 to 10,000', pointer => '/at_most');
    end if;
    perform gnomon_data.require_read_committed();
    perform pg_current_xact_id();
    now_utc := gnomon_data.now_utc();
    select x.* into o from gnomon_data.operations as x
     where x.done_at_utc is null and x.resume_at_utc <= now_utc order by x.resume_at_utc limit 1 for update skip locked;
    if o.id is null then
        with gone as (delete from gnomon_data.operations as x where x.done_at_utc < now_utc - interval '7 days' returning x.id)
        delete from gnomon_data.mass_refusals as r using gone as g where r.operation_id = g.id;
        return false;
    end if;
    o.resume_at_utc := now_utc;
    if o.proof_xid is null or o.proof_xid >= pg_snapshot_xmax(pg_current_snapshot()) then
        -- The second: taken in a cluster that this database was not dumped from.
        o.proof_xid := pg_current_xact_id();
    elsif o.phase = 2 and pg_snapshot_xmin(pg_current_snapshot()) <= o.proof_xid then
        o.resume_at_utc := now_utc + interval '1 s';
    else
        if o.phase = 2 or o.phase = 0 and o.after_shard = 0 and o.after_id is null then
            o.is_proven := pg_snapshot_xmin(pg_current_snapshot()) > o.proof_xid;
            o.has_passed_by := false;
            -- Deliveries that are there go out, whatever is paused; what is rescheduled with one on its way comes first.
            o.phase := (o.kind in ('pause', 'resume'))::int;
        end if;
        o := gnomon_data.sweep_piece(o, at_most);
        if o.phase = 2 and o.is_proven and not o.has_passed_by then
            o.done_at_utc := gnomon_data.now_utc();
            delete from gnomon_data.mass_cancels as c where c.operation_id = o.id;
            delete from gnomon_data.mass_pauses as p where p.operation_id = o.id;
            delete from gnomon_data.mass_waiting as w where w.operation_id = o.id;
        elsif o.phase = 2 then
            o.after_shard := 0;
            o.resume_at_utc := now_utc + interval '1 s';
        end if;
    end if;
    update gnomon_data.operations as x
       set (swept_count, proof_xid, is_proven, has_passed_by, phase, after_shard, after_id, resume_at_utc, done_at_utc)
           = (o.swept_count, o.proof_xid, o.is_proven, o.has_passed_by, o.phase, o.after_shard, o.after_id, o.resume_at_utc, o.done_at_utc)
     where x.id = o.id;
    return true;
end
$$;

comment on function gnomon.sweep_operations(int) is
    'Really cancels, pauses, resumes or reschedules the next at_most schedules of a mass operation; false when there is nothing to do for now. Called by upkeep.';
revoke all on function gnomon.sweep_operations(int) from public;
grant execute on function gnomon.sweep_operations(int) to gnomon_worker;
