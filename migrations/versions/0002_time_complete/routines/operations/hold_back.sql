-- Of what a claim has locked, what mass cancels mean stays here. What one in effect means is parked, out of the way of the
-- next claim, until the sweep ends it with its schedule: in the ledger it then is what a single cancel makes of it. What an
-- open one means is looked at again in a second: it may be rolled back.
create or replace function gnomon_data.hold_back(leaf text, live tid[], open_hashes bigint[], now_utc timestamptz) returns tid[]
language plpgsql volatile set search_path = ''
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
    free tid[];
    doomed tid[];
    held tid[];
    targets text[];
begin
    select array_agg(c.target) into targets from gnomon_data.mass_cancels as c;
    execute format($sql$
        select array_agg(v.ctid) filter (where not v.is_doomed and not v.is_held), array_agg(v.ctid) filter (where v.is_doomed),
               array_agg(v.ctid) filter (where v.is_held and not v.is_doomed)
          from (select d.ctid,
                       m.is_near and gnomon_data.is_doomed_delivery(d.shard, d.schedule_id, d.user_id, d.template_id, d.labels, d.spared_by) as is_doomed,
                       m.is_near and coalesce(gnomon_data.may_be_meant(d.user_id, d.template_id, d.labels, '{}', $2)
                           or gnomon_data.may_be_meant(s.user_id, s.template_id, s.labels, '{}', $2), false) as is_held
                  from gnomon_data.%1$I as d
                  left join lateral (select x.user_id, x.template_id, x.labels from gnomon_data.schedules as x
                                      where x.shard = d.shard and x.id = d.schedule_id limit 1) as s on true
                 cross join lateral (select gnomon_data.may_be_meant(d.user_id, d.template_id, d.labels, $3, $2)
                                         or s.user_id is not null and gnomon_data.may_be_meant(s.user_id, s.template_id, s.labels, $3, $2) as is_near
                                     offset 0) as m
                 where d.ctid = any ($1)) as v
        $sql$, leaf)
    into free, doomed, held using live, coalesce(open_hashes, '{}'), coalesce(targets, '{}');
    if doomed is not null or held is not null then
        execute format($sql$
            update gnomon_data.%1$I as d set ready_at_utc = case when d.ctid = any ($1) then 'infinity' else $3 end
             where d.ctid = any ($1 || $2)
            $sql$, leaf)
        using coalesce(doomed, '{}'), coalesce(held, '{}'), now_utc + interval '1 s';
    end if;
    return free;
end
$$;

comment on function gnomon_data.hold_back(text, tid[], bigint[], timestamptz) is
    'What may be handed over of locked deliveries of a leaf; the rest is parked or set back. null: nothing.';
