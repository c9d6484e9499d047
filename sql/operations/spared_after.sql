-- By one snapshot. An edit comes after the operations that it brings a schedule to, and is spared by them; it revives nothing
-- that a cancel means; and what a pause meant before the edit it still means.
create or replace function gnomon_data.spared_after(old gnomon_data.schedules, user_id text, template_id text, labels jsonb) returns uuid[]
language sql stable
as $$
    select case when gnomon_data.is_doomed(old.user_id, old.template_id, old.labels, old.spared_by) then old.spared_by
           else nullif(array(
               select unnest(gnomon_data.operations_seen(spared_after.user_id, spared_after.template_id, spared_after.labels))
               except
               select p.operation_id from gnomon_data.mass_pauses as p
                where p.target = any (gnomon_data.targets_of(old.user_id, old.template_id, old.labels))
                  and p.operation_id <> all (coalesce(old.spared_by, '{}'))), '{}') end
$$;

comment on function gnomon_data.spared_after(gnomon_data.schedules, text, text, jsonb) is
    'What an edited schedule notes of the mass operations in effect.';
