-- What the old plan would fire now comes first: so an edit of the words alone makes nothing late, and what was put off is in
-- time. What others hold is left to the walk.
create or replace function gnomon_data.sweep_waiting(o gnomon_data.operations, at_most int, out swept_count int, out held_count int)
language plpgsql volatile
set enable_seqscan = off
as $$
declare
    waiting record;
    piece record;
begin
    swept_count := 0;
    held_count := 0;
    for waiting in
        with taken as (
            delete from gnomon_data.mass_waiting as w using (
                select x.ctid from gnomon_data.mass_waiting as x where x.operation_id = o.id limit at_most for update skip locked) as g
             where w.ctid = g.ctid returning w.shard, w.schedule_id
        )
        select t.shard, array_agg(distinct t.schedule_id) as ids from taken as t group by t.shard order by t.shard
    loop
        o.after_shard := waiting.shard;
        piece := gnomon_data.sweep_changes(o, waiting.ids);
        swept_count := swept_count + piece.swept_count;
        held_count := held_count + piece.held_count;
    end loop;
end
$$;

comment on function gnomon_data.sweep_waiting(gnomon_data.operations, int) is
    'Reschedules at most so many of what waits for this operation (note_waiting); how many were decided, and how many others hold.';
