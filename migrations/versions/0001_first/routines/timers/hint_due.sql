-- A hint and never more: pollers look every 100 ms anyway, so one is sent only when that could be too late. In a caller's
-- transaction none is sent unless gnomon.hint is on: NOTIFY would forbid PREPARE TRANSACTION and serialise commits.
create or replace function gnomon_data.hint_due(at_utc timestamptz, now_utc timestamptz) returns void
language plpgsql volatile
as $$
begin
    if current_setting('gnomon.hint', true) = 'on' and at_utc < now_utc + gnomon_data.fire_ahead() + interval '100 ms'
       and gnomon_data.setting('notify', 'on') = 'on' then
        perform pg_notify('gnomon_due', gnomon_data.rfc3339(at_utc));
    end if;
end
$$;

comment on function gnomon_data.hint_due(timestamptz, timestamptz) is
    'Tells pollers of an instant before their next look; only where the session has set gnomon.hint = on.';
