create or replace function gnomon_data.sweep_piece(o gnomon_data.operations, at_most int) returns gnomon_data.operations
language plpgsql volatile
as $$
declare
    -- Most rows are none of the operation's: so many are looked at for one that may be swept.
    looks int := at_most * 20;
    swept int := 0;
    size int;
    look record;
    piece record;
begin
    if o.scope = 'user' then
        o.after_shard := gnomon_data.shard_of(o.value);
    end if;
    if o.kind = 'reschedule' then
        piece := gnomon_data.sweep_waiting(o, at_most);
        swept := piece.swept_count;
        if swept > 0 then
            -- Committed at once: it is due in a moment.
            looks := 0;
        end if;
        o.has_passed_by := o.has_passed_by or piece.held_count > 0;
    end if;
    while looks > 0 and swept < at_most and o.phase < 2 loop
        size := least(looks, at_most);
        look := gnomon_data.sweep_looks(o, size);
        if look.schedule_ids is not null then
            if o.kind = 'reschedule' then
                piece := gnomon_data.sweep_changes(o, look.schedule_ids);
            elsif o.phase = 0 then
                piece := gnomon_data.sweep_each(o, look.schedule_ids);
            elsif o.kind = 'cancel' then
                piece := gnomon_data.sweep_many(o, look.schedule_ids);
            else
                piece := gnomon_data.sweep_pauses(o, look.schedule_ids);
            end if;
            swept := swept + piece.swept_count;
            o.has_passed_by := o.has_passed_by or piece.held_count > 0;
        end if;
        looks := looks - look.looked_count;
        o.after_id := look.last_id;
        if look.looked_count < size then
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
    'Walks on by looks of at_most rows, until that many are swept or twenty times as many looked at; the operation as far as it came. Phase 2: the walk is over.';
