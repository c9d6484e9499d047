create or replace function gnomon_data.sweep_each(o gnomon_data.operations, ids uuid[], out swept_count int, out held_count int)
language plpgsql volatile
as $$
declare
    schedule_id uuid;
    outcome text;
begin
    swept_count := 0;
    held_count := 0;
    foreach schedule_id in array coalesce(ids, '{}') loop
        outcome := gnomon_data.sweep_one(o.after_shard, schedule_id);
        swept_count := swept_count + (outcome = 'swept')::int;
        held_count := held_count + (outcome = 'held')::int;
    end loop;
end
$$;

comment on function gnomon_data.sweep_each(gnomon_data.operations, uuid[]) is
    'Sweeps schedules of a shard one by one, with their deliveries; how many, and how many others hold.';
