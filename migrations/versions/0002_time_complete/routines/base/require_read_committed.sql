-- Fire, claim, settle and set_calendar ask a second time, in a new snapshot, about what they could not lock. Under REPEATABLE READ the
-- second look sees nothing new, and what is only locked would be taken for gone.
create or replace function gnomon_data.require_read_committed() returns void
language plpgsql stable set search_path = ''
as $$
begin
    if current_setting('transaction_isolation') <> 'read committed' then
        raise exception using errcode = '0A000',
            message = 'fire, claim, settle and set_calendar need READ COMMITTED',
            hint = 'begin isolation level read committed';
    end if;
end
$$;

comment on function gnomon_data.require_read_committed() is 'Raises 0A000 in any other isolation level.';
