create or replace function gnomon_data.has_operations() returns boolean
language sql stable
as $$ select exists (select from gnomon_data.mass_cancels) or exists (select from gnomon_data.mass_pauses) $$;

comment on function gnomon_data.has_operations() is 'Whether any mass operation is in effect and not swept yet.';
