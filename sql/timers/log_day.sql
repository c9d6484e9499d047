-- A missing log partition may never undo a fire, a cancel or a settle. It is looked for before the write and made here
-- when upkeep has not: dead upkeep costs speed, never a notification. Asked of the catalogue and not of
-- gnomon_data.periods: a partition that somebody dropped or detached by hand is missing too, whatever a row says.
create or replace function gnomon_data.log_day(parent text, at_utc timestamptz) returns void
language plpgsql volatile set search_path = ''
as $$
begin
    if not gnomon_data.is_attached(gnomon_data.period_name(parent, at_utc)) then
        perform gnomon_data.make_period(parent, (at_utc at time zone 'UTC')::date);
    end if;
end
$$;

comment on function gnomon_data.log_day(text, timestamptz) is 'Sees to it that the partition of a log exists for the day of at_utc.';
