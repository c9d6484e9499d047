create or replace function gnomon_data.change_each(shard smallint, ids uuid[], is_careful boolean) returns void
language plpgsql volatile
as $$
declare
    now_utc constant timestamptz := gnomon_data.now_utc();
    schedule_id uuid;
    refusals jsonb[] := '{}';
begin
    foreach schedule_id in array ids loop
        refusals := refusals || gnomon_data.change_in_turn(shard, schedule_id, now_utc, is_careful);
    end loop;
    perform gnomon_data.note_refusals(refusals);
end
$$;

comment on function gnomon_data.change_each(smallint, uuid[], boolean) is
    'Applies to schedules that this transaction has locked with their keys the mass operations that mean them.';
