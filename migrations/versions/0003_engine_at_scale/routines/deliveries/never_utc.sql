-- Not infinity, which means parked: a settle of an earlier delivery lets the parked ones go.
create or replace function gnomon_data.never_utc() returns timestamptz
language sql immutable
as $$ select '9999-01-01T00:00:00Z'::timestamptz $$;

comment on function gnomon_data.never_utc() is 'The ready_at_utc of a delivery that was set aside: no claim reaches it.';
