-- A transaction that wrote into the period before its detach began may have committed since. Its rows are inserted anew;
-- run until it answers 0, then drop. Only for a period that is detached.
create or replace function gnomon.reread_period(period_table text) returns int
language plpgsql volatile security definer set search_path = ''
as $$
declare
    now_utc timestamptz;
    left_over gnomon_data.timers[];
begin
    if not exists (select from gnomon_data.periods as p where p.period = period_table and p.parent = 'timers') then
        return 0;
    end if;
    perform pg_current_xact_id();
    now_utc := gnomon_data.now_utc();
    execute format('with gone as (delete from gnomon_data.%I as t returning t.*) select array_agg(gone::gnomon_data.timers) from gone', period_table)
       into left_over;
    if left_over is null then
        return 0;
    end if;
    perform gnomon_data.put_timers(left_over, now_utc);
    return cardinality(left_over);
end
$$;

comment on function gnomon.reread_period(text) is 'Puts what is left in a detached period of timers back into the time plane; how many rows.';
revoke all on function gnomon.reread_period(text) from public;
grant execute on function gnomon.reread_period(text) to gnomon_worker;
