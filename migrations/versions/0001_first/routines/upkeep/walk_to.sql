create or replace function gnomon_data.walk_to(walk text, piece gnomon_data.walks[], size int) returns void
language plpgsql volatile
as $$
declare
    last constant gnomon_data.walks := piece[cardinality(piece)];
begin
    if cardinality(piece) = size then
        update gnomon_data.walks as w set after_shard = last.after_shard, after_kind = last.after_kind, after_key = last.after_key where w.walk = walk_to.walk;
    else
        update gnomon_data.walks as w set after_shard = -1, after_kind = 0, after_key = '' where w.walk = walk_to.walk and w.after_shard <> -1;
    end if;
end
$$;

comment on function gnomon_data.walk_to(text, gnomon_data.walks[], int) is
    'Notes how far a walk has come; a piece that is not full was the last, and the walk begins anew.';
