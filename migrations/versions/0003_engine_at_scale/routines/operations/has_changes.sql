create or replace function gnomon_data.has_changes() returns boolean
language sql stable
as $$ select exists (select from gnomon_data.mass_pauses as p where p.changes_at_utc is not null) $$;

comment on function gnomon_data.has_changes() is 'Whether any mass reschedule is in effect and not swept yet.';
