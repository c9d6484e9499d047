-- Candidates only: whether they are meant is asked again once they are locked. A user's are found by index; a label's and a
-- template's by walking all, since an index on labels would cost every accepted schedule for what is rare. By the primary
-- key from the place where the last look ended: a walk reads each row once, in however many pieces it is made.
create or replace function gnomon_data.sweep_looks(
    o gnomon_data.operations, looks int, out schedule_ids uuid[], out looked_count int, out last_id uuid)
language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan
as $$
declare
    above constant uuid := coalesce(o.after_id, '00000000-0000-0000-0000-000000000000');
begin
    if o.phase = 0 then
        select array_agg(distinct l.schedule_id) filter (where l.is_meant), count(*), (array_agg(l.id))[count(*)]
          into schedule_ids, looked_count, last_id
          from (select d.id, d.schedule_id,
                       not d.is_stopped and gnomon_data.is_meant(o, d.user_id, d.template_id, d.labels, null) as is_meant
                  from gnomon_data.deliveries as d where d.shard = o.after_shard and d.id > above order by d.shard, d.id limit looks) as l;
    elsif o.scope = 'user' then
        select array_agg(l.id), count(*), (array_agg(l.id))[count(*)] into schedule_ids, looked_count, last_id
          from (select s.id from (select x.id, x.shard from gnomon_data.schedules as x where x.user_id = o.value offset 0) as s
                 where s.shard = o.after_shard and s.id > above order by s.id limit looks) as l;
    else
        select array_agg(l.id) filter (where l.is_meant), count(*), (array_agg(l.id))[count(*)] into schedule_ids, looked_count, last_id
          from (select s.id, gnomon_data.is_meant(o, s.user_id, s.template_id, s.labels, s.spared_by) as is_meant
                  from gnomon_data.schedules as s where s.shard = o.after_shard and s.id > above order by s.shard, s.id limit looks) as l;
    end if;
end
$$;

comment on function gnomon_data.sweep_looks(gnomon_data.operations, int) is
    'The next rows of a walk behind its place in one shard: the schedules that the operation may mean, how many rows, the last.';
