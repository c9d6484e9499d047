-- The form without bounds for whoever has no memory between calls: it starts at the proven marks. It looks among the far
-- timers too, as a sweep does: whoever calls nothing but this must lose nothing when no upkeep runs. For the same reason it
-- sets aside by itself what cannot be fired.
create or replace function gnomon.fire_due(shards smallint[], at_most int default 500, out fired_count int, out next_due_at_utc timestamptz)
language plpgsql volatile security definer set search_path = ''
as $$
declare
    due record;
    result record;
    each int;
    code text;
    constraint_hit text;
begin
    perform gnomon_data.require_read_committed();
    if at_most is null or at_most not between 1 and 10000 then
        perform gnomon_data.fail('GN024', 'at_most must be between 1 and 10000', pointer => '/at_most');
    end if;
    fired_count := 0;
    for due in
        with marks as (
            select m.lane, m.shard, m.safe_at_utc from gnomon.safe_marks('timers', shards) as m
        ), firsts as (
            select n.* from gnomon.next_due(
                (select array_agg(m.lane order by m.lane, m.shard) from marks as m),
                (select array_agg(m.shard order by m.lane, m.shard) from marks as m),
                (select array_agg(m.safe_at_utc order by m.lane, m.shard) from marks as m),
                (select array_agg('00000000-0000-0000-0000-000000000000'::uuid) from marks as m)) as n
        )
        select f.lane, s.slice, array_agg(f.shard order by f.first_at_utc) as shards,
               array_agg(m.safe_at_utc order by f.first_at_utc) as after_at,
               array_agg('00000000-0000-0000-0000-000000000000'::uuid) as after_id, min(f.first_at_utc) as first_at_utc
          from firsts as f
          left join marks as m on m.lane = f.lane and m.shard = f.shard
          left join gnomon_data.shard_slices as s on f.shard between s.first_shard and s.last_shard
         group by f.lane, s.slice
         order by f.lane nulls last, min(f.first_at_utc)
    loop
        if due.lane is null then
            next_due_at_utc := due.first_at_utc;
        elsif fired_count < at_most then
            each := greatest((at_most - fired_count) / cardinality(due.shards), 1);
            begin
                result := gnomon.fire_slice(due.lane, due.shards, due.after_at, due.after_id, each);
            exception when others then
                get stacked diagnostics code = returned_sqlstate, constraint_hit = constraint_name;
                if not gnomon_data.is_poison(code, constraint_hit) then
                    raise;
                end if;
                result := gnomon.fire_carefully(due.lane, due.shards, due.after_at, due.after_id, each);
            end;
            fired_count := fired_count + result.fired_count;
        end if;
    end loop;
    if fired_count < at_most and cardinality(shards) > 0 then
        begin
            result := gnomon.fire_far(shards, at_most - fired_count);
        exception when others then
            get stacked diagnostics code = returned_sqlstate, constraint_hit = constraint_name;
            if not gnomon_data.is_poison(code, constraint_hit) then
                raise;
            end if;
            result := gnomon.fire_carefully(null, shards, null, null, greatest((at_most - fired_count) / cardinality(shards), 1));
        end;
        fired_count := fired_count + result.fired_count;
    end if;
end
$$;

comment on function gnomon.fire_due(smallint[], int) is
    'Fires what is due within the look-ahead in these shards, critical first, about at_most; and the earliest instant not yet due.';
revoke all on function gnomon.fire_due(smallint[], int) from public;
grant execute on function gnomon.fire_due(smallint[], int) to gnomon_worker;
