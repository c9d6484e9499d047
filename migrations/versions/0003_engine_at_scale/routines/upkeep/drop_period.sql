-- Refuses what is still attached, since DROP would then take an exclusive lock on the parent and stop all inserts, and
-- what still holds timers. The exclusive lock comes before the last look: nobody can write between the two.
create or replace function gnomon.drop_period(period_table text) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
    known gnomon_data.periods;
    is_empty boolean;
begin
    select p.* into known from gnomon_data.periods as p where p.period = period_table;
    if known is null then
        perform gnomon_data.fail('GN024', format('no period is called %L', period_table), pointer => '/period_table');
    end if;
    if exists (select from pg_catalog.pg_inherits as i where i.inhrelid = format('gnomon_data.%I', period_table)::regclass) then
        perform gnomon_data.fail('GN024', format('period %L is still attached', period_table),
            'detach it first: alter table ... detach partition ... concurrently', '/period_table');
    end if;
    if known.parent = 'timers' then
        execute format('lock table gnomon_data.%I in access exclusive mode', period_table);
        execute format('select not exists (select from gnomon_data.%I)', period_table) into is_empty;
        if not is_empty then
            perform gnomon_data.fail('GN024', format('period %L still holds timers', period_table), 'gnomon.reread_period puts them back', '/period_table');
        end if;
    end if;
    if known.parent = 'occurrence_log' then
        -- Long since done by balance_ledger. What is detached is out of the log and in the balance no more: see ledger.
        if exists (select from gnomon_data.ledger_folds as f where f.folded_until_utc < known.until_utc) then
            perform gnomon_data.fold_detached(period_table);
        end if;
    end if;
    execute format('drop table gnomon_data.%I', period_table);
    delete from gnomon_data.periods as p where p.period = period_table;
end
$$;

comment on function gnomon.drop_period(text) is 'Drops a detached period; refuses one that is attached or still holds timers.';
revoke all on function gnomon.drop_period(text) from public;
grant execute on function gnomon.drop_period(text) to gnomon_worker;
