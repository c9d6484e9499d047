create or replace function gnomon_data.is_held_delivery(
    shard smallint, schedule_id uuid, user_id text, template_id text, labels jsonb, open_hashes bigint[]) returns boolean
language sql stable
as $$
    select exists (
        select from unnest(gnomon_data.targets_of(is_held_delivery.user_id, is_held_delivery.template_id, is_held_delivery.labels) || coalesce(
                   (select gnomon_data.targets_of(s.user_id, s.template_id, s.labels) from gnomon_data.schedules as s
                     where s.shard = is_held_delivery.shard and s.id = is_held_delivery.schedule_id), '{}')) as t (target)
         where gnomon_data.hash_of_target(t.target) = any (open_hashes))
$$;

comment on function gnomon_data.is_held_delivery(smallint, uuid, text, text, jsonb, bigint[]) is
    'Whether a mass cancel whose transaction is open may mean this delivery or its schedule.';
