-- Candidates only: whether they are meant is asked again once they are locked. A user's are found by index; a label's and a
-- template's by walking all, since an index on labels would cost every accepted schedule for what is rare.
create or replace function gnomon_data.sweep_looks(o gnomon_data.operations, looks int)
returns table (row_id uuid, schedule_id uuid, is_meant boolean)
language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan
as $$
declare
    above constant uuid := coalesce(o.after_id, '00000000-0000-0000-0000-000000000000');
begin
    if o.phase = 0 then
        return query
            select d.id, d.schedule_id, coalesce(not d.is_stopped and case o.scope when 'user' then d.user_id = o.value
                       when 'template' then d.template_id = o.value else d.labels ->> o.name = o.value end, false)
              from gnomon_data.deliveries as d where d.shard = o.after_shard and d.id > above order by d.shard, d.id limit looks;
    elsif o.scope = 'user' then
        return query
            select s.id, s.id, true from (select x.id, x.shard from gnomon_data.schedules as x where x.user_id = o.value offset 0) as s
             where s.shard = o.after_shard and s.id > above order by s.id limit looks;
    else
        return query
            select s.id, s.id, coalesce(case o.scope when 'template' then s.template_id = o.value else s.labels ->> o.name = o.value end, false)
              from gnomon_data.schedules as s where s.shard = o.after_shard and s.id > above order by s.shard, s.id limit looks;
    end if;
end
$$;

comment on function gnomon_data.sweep_looks(gnomon_data.operations, int) is
    'The next rows of a walk behind its place in one shard, and which of them the operation may mean.';
