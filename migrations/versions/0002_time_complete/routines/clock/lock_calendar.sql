-- Whoever writes a schedule that names a calendar and whoever changes that calendar must not miss each other: one holds the
-- name shared, the other alone, each until its transaction ends. Not a lock on the row: a thousand schedules a second would
-- each write to it.
create or replace function gnomon_data.lock_calendar(calendar text, is_shared boolean) returns void
language plpgsql volatile
as $$
begin
    if is_shared then
        perform pg_advisory_xact_lock_shared(hashtext('gnomon calendar'), hashtext(calendar));
    else
        perform pg_advisory_xact_lock(hashtext('gnomon calendar'), hashtext(calendar));
    end if;
end
$$;

comment on function gnomon_data.lock_calendar(text, boolean) is 'Holds the name of a calendar until the end of the transaction.';
