-- A live schedule speaks for its deliveries: an edit may have changed its labels since.
create or replace function gnomon_data.is_doomed_delivery(
    shard smallint, schedule_id uuid, user_id text, template_id text, labels jsonb, spared_by uuid[]) returns boolean
language sql stable
as $$
    select coalesce(
        (select gnomon_data.is_doomed(s.user_id, s.template_id, s.labels, s.spared_by) from gnomon_data.schedules as s
          where s.shard = is_doomed_delivery.shard and s.id = is_doomed_delivery.schedule_id),
        gnomon_data.is_doomed(user_id, template_id, labels, spared_by))
$$;

comment on function gnomon_data.is_doomed_delivery(smallint, uuid, text, text, jsonb, uuid[]) is
    'Whether a mass cancel in effect means this delivery; its schedule decides while it lives.';
