create or replace function gnomon_data.sweep_piece(o gnomon_data.operations, at_most int) returns gnomon_data.operations
language plpgsql volatile
as $$
declare
    -- Most rows are none of the operation's: so many are looked at for one that may be swept.
    looks int := at_most * 20;
    swept int := 0;
    looked_count int;
    size int;
    look record;
    outcome text;
begin
    if o.scope = 'user' then
        o.after_shard := gnomon_data.shard_of(o.value);
    end if;
    while looks > 0 and swept < at_most and o.phase < 2 loop
        looked_count := 0;
        size := looks;
        for look in select l.* from gnomon_data.sweep_looks(o, size) as l loop
            looked_count := looked_count + 1;
            o.after_id := look.row_id;
            if look.is_meant then
                outcome := gnomon_data.sweep_one(o.after_shard, look.schedule_id);
                swept := swept + (outcome = 'swept')::int;
                o.has_passed_by := o.has_passed_by or outcome = 'held';
                exit when swept >= at_most;
            end if;
        end loop;
        looks := looks - looked_count;
        if looked_count < size and swept < at_most then
            o.after_id := null;
            if o.scope = 'user' or o.after_shard = 63 then
                o.phase := o.phase + 1;
                o.after_shard := case when o.scope = 'user' then o.after_shard else 0 end;
            else
                o.after_shard := o.after_shard + 1;
            end if;
        end if;
    end loop;
    o.swept_count := o.swept_count + swept;
    return o;
end
$$;

comment on function gnomon_data.sweep_piece(gnomon_data.operations, int) is
    'Walks on: cancels at_most schedules at most, looking at twenty times as many rows; the operation as far as it came. Phase 2: the walk is over.';
