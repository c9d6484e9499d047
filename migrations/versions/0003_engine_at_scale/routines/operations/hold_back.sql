-- Of what a claim has locked, what mass cancels and reschedules mean stays here. What one in effect means is parked, out of the way of the
-- next claim, until the sweep ends it with its schedule: in the ledger it then is what a single cancel makes of it. What an
-- open one means is looked at again in a second: it may be rolled back. So is what had been fired ahead by the plan that a
-- mass reschedule in effect changes, until the sweep takes it back or lets it go: later each time, a minute at most.
create or replace function gnomon_data.hold_back(leaf text, live tid[], open_hashes bigint[], now_utc timestamptz) returns tid[]
language plpgsql volatile set search_path = ''
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
    free tid[];
    doomed tid[];
    held tid[];
    ahead tid[];
    targets text[];
begin
    select array_agg(c.target) into targets from (select x.target from gnomon_data.mass_cancels as x union all
        select x.target from gnomon_data.mass_pauses as x where x.changes_at_utc is not null) as c;
    execute format($sql$
        select array_agg(v.ctid) filter (where not v.is_doomed and not v.is_held and not v.is_ahead), array_agg(v.ctid) filter (where v.is_doomed),
               array_agg(v.ctid) filter (where v.is_held and not v.is_doomed),
               array_agg(v.ctid) filter (where v.is_ahead and not v.is_held and not v.is_doomed)
          from (select d.ctid,
                       m.is_near and gnomon_data.is_doomed_delivery(d.shard, d.schedule_id, d.user_id, d.template_id, d.labels, d.spared_by) as is_doomed,
                       m.is_near and coalesce(gnomon_data.may_be_meant(d.user_id, d.template_id, d.labels, '{}', $2)
                           or gnomon_data.may_be_meant(s.user_id, s.template_id, s.labels, '{}', $2), false) as is_held,
                       m.is_near and coalesce(s.is_recurring and d.attempt = 0 and d.occurrence > 0 and d.occurrence = s.fired_count
                           and gnomon_data.is_changing(s.user_id, s.template_id, s.labels, s.spared_by, d.due_at_utc), false) as is_ahead
                  from gnomon_data.%1$I as d
                  left join lateral (select x.user_id, x.template_id, x.labels, x.spared_by, x.is_recurring, x.fired_count
                                      from gnomon_data.schedules as x
                                      where x.shard = d.shard and x.id = d.schedule_id limit 1) as s on true
                 cross join lateral (select gnomon_data.may_be_meant(d.user_id, d.template_id, d.labels, $3, $2)
                                         or s.user_id is not null and gnomon_data.may_be_meant(s.user_id, s.template_id, s.labels, $3, $2) as is_near
                                     offset 0) as m
                 where d.ctid = any ($1)) as v
        $sql$, leaf)
    into free, doomed, held, ahead using live, coalesce(open_hashes, '{}'), coalesce(targets, '{}');
    if doomed is not null or held is not null or ahead is not null then
        execute format($sql$
            update gnomon_data.%1$I as d set ready_at_utc = case when d.ctid = any ($1) then 'infinity'
                   when d.ctid = any ($3) then $4 + least($4 - d.due_at_utc, interval '1 min') else $4 end
             where d.ctid = any ($1 || $2 || $3)
            $sql$, leaf)
        using coalesce(doomed, '{}'), coalesce(held, '{}'), coalesce(ahead, '{}'), now_utc + interval '1 s';
    end if;
    return free;
end
$$;

comment on function gnomon_data.hold_back(text, tid[], bigint[], timestamptz) is
    'What may be handed over of locked deliveries of a leaf; the rest is parked or set back. null: nothing.';
