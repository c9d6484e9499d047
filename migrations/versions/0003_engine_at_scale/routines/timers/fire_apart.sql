-- Halves, each in a subtransaction of its own, down to the one that raises: k of n cost k times log2(n) tries, and all others
-- fire in this call. What is no fault of a row (is_poison) is raised as it came.
create or replace function gnomon_data.fire_apart(
    taken gnomon_data.timers[], now_utc timestamptz,
    out fired_count int, out set_back_count int, out stale_count int, out expired_count int, out set_aside_count int)
language plpgsql volatile
as $$
declare
    half constant int := cardinality(taken) / 2;
    code text;
    message text;
    constraint_hit text;
    part record;
begin
    fired_count := 0; set_back_count := 0; stale_count := 0; expired_count := 0; set_aside_count := 0;
    begin
        select f.fired_count, f.set_back_count, f.stale_count, f.expired_count
          into fired_count, set_back_count, stale_count, expired_count
          from gnomon_data.fire_timers(taken, now_utc) as f;
        return;
    exception when others then
        get stacked diagnostics code = returned_sqlstate, message = message_text, constraint_hit = constraint_name;
        if not gnomon_data.is_poison(code, constraint_hit) then
            raise;
        end if;
    end;
    if half = 0 then
        set_aside_count := gnomon_data.set_aside_timer(taken[1], code, message, now_utc)::int;
        set_back_count := 1 - set_aside_count;
        return;
    end if;
    for part in
        select f.* from (values (taken[1:half]), (taken[half + 1:cardinality(taken)])) as h (timers)
         cross join lateral gnomon_data.fire_apart(h.timers, now_utc) as f
    loop
        fired_count := fired_count + part.fired_count;
        set_back_count := set_back_count + part.set_back_count;
        stale_count := stale_count + part.stale_count;
        expired_count := expired_count + part.expired_count;
        set_aside_count := set_aside_count + part.set_aside_count;
    end loop;
end
$$;

comment on function gnomon_data.fire_apart(gnomon_data.timers[], timestamptz) is
    'Fires timers that this transaction has deleted, as fire_timers does, and sets aside those that cannot be fired.';
