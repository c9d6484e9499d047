-- The history of a schedule: which words changed, from what to what. params may be long and are nobody's business in a log:
-- only that they changed is kept.
create or replace function gnomon_data.note_edit(old gnomon_data.schedules, changed gnomon_data.schedules, now_utc timestamptz)
returns void
language plpgsql volatile
as $$
declare
    -- No word of a request says the lane that a category gives.
    is_laned constant boolean := old.lane <> changed.lane and coalesce(old.category, changed.category) is not null;
    before constant jsonb := gnomon_data.request_of(old) || case when is_laned then jsonb_build_object('lane', gnomon_data.lane_name(old.lane)) else '{}' end;
    after constant jsonb := gnomon_data.request_of(changed) || case when is_laned then jsonb_build_object('lane', gnomon_data.lane_name(changed.lane)) else '{}' end;
begin
    perform gnomon_data.note_event(old.shard, old.id, 'edited', jsonb_build_object(
        'version', changed.version,
        'changed', (select jsonb_object_agg(f.field, case when f.field = 'params' then 'true'
                                else jsonb_build_object('from', before -> f.field, 'to', after -> f.field) end)
                      from (select jsonb_object_keys(before || after) as field) as f
                     where (before -> f.field) is distinct from (after -> f.field)),
        'fire_at', jsonb_build_object('from', gnomon_data.rfc3339(old.fire_at_utc), 'to', gnomon_data.rfc3339(changed.fire_at_utc))),
        now_utc);
end
$$;

comment on function gnomon_data.note_edit(gnomon_data.schedules, gnomon_data.schedules, timestamptz) is
    'Notes an edit with its version, the fields that changed and the instant before and after.';
