-- The row stays. To refuse while pending schedules name it would take an index on every one that names any, or a walk over all
-- of them, and a lock against those that are being accepted; to remove it would let what is pending fire on channels that
-- nobody meant.
create or replace function gnomon.drop_category(name text) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
begin
    update gnomon_data.categories as c set dropped_at_utc = gnomon_data.now_utc()
     where c.name = drop_category.name and c.dropped_at_utc is null;
    return found;
end
$$;

comment on function gnomon.drop_category(text) is
    'No new request may name this category; what is pending goes on by it, and set_category brings it back. false when it was not known.';
revoke all on function gnomon.drop_category(text) from public;
grant execute on function gnomon.drop_category(text) to gnomon_admin;
