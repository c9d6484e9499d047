create or replace function gnomon_data.has_pauses() returns boolean
language sql stable
as $$ select exists (select from gnomon_data.mass_pauses) $$;

comment on function gnomon_data.has_pauses() is 'Whether any mass pause or resume is in effect and not swept yet.';
