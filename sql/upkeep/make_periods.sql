-- Logs first: a fire writes occurrence_log, and must find today's partition. delivery_log is partitioned by the day of
-- the due instant, so a backlog from before keeps its days alive until it is settled.
create or replace function gnomon.make_periods() returns int
language plpgsql volatile security definer set search_path = ''
as $$
declare
    today constant date := (gnomon_data.now_utc() at time zone 'UTC')::date;
    days_ahead constant int := 3;
    made int := 0;
begin
    for day in 0..days_ahead loop
        made := made + gnomon_data.make_period('occurrence_log', today + day)::int
                     + gnomon_data.make_period('events', today + day)::int
                     + gnomon_data.make_period('delivery_log', today + day)::int;
    end loop;
    made := made + gnomon_data.make_period('delivery_log', today - 1)::int;
    return made + gnomon_data.extend_horizon(days_ahead);
end
$$;

comment on function gnomon.make_periods() is
    'Makes the partitions of the next three days (UTC) where missing; how many were made. Called every minute by upkeep.';
revoke all on function gnomon.make_periods() from public;
grant execute on function gnomon.make_periods() to gnomon_worker;
