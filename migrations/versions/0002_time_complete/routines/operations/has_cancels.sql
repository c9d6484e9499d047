create or replace function gnomon_data.has_cancels() returns boolean
language sql stable
as $$ select exists (select from gnomon_data.mass_cancels) $$;

comment on function gnomon_data.has_cancels() is 'Whether any mass cancel is in effect: the question before all others, since mostly there is none.';
