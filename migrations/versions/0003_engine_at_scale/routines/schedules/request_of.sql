-- The request that would make this schedule again: what a PATCH merges into, and whose hash the key keeps.
create or replace function gnomon_data.request_of(s gnomon_data.schedules) returns jsonb
language sql stable
as $$
    select s.when_words || jsonb_strip_nulls(jsonb_build_object('user_id', s.user_id, 'template_id', s.template_id, 'dedup_key', s.dedup_key,
            'key', s.key, 'channels', to_jsonb(s.channels), 'category', s.category,
            'lane', case when s.category is null then nullif(gnomon_data.lane_name(s.lane), 'transactional')
                         when s.has_own_lane then gnomon_data.lane_name(s.lane) end))
        || case when s.labels is null then '{}' else jsonb_build_object('labels', s.labels) end
        || case when s.params is null and s.payload_id is null then '{}'
                else jsonb_build_object('params', coalesce(s.params,
                    (select p.params from gnomon_data.payloads as p where p.shard = s.shard and p.id = s.payload_id))) end
$$;

comment on function gnomon_data.request_of(gnomon_data.schedules) is 'A live schedule as a normalised request.';
