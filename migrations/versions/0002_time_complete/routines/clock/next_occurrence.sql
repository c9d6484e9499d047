-- next(after) = min { f(L) + d : f(L) + d > after }, a pure function of rule, zone and after: no state, no drift. To be
-- called with the scheduled instant of the occurrence just fired, never with the time it was really sent.
-- f never goes backwards, so no reading up to what the clock shows at `after` can fire later: walk later readings in
-- wall order and return the first that does; equal instants merge by themselves. (With on_overlap second, a reading up
-- to an overlap's length before may: that walk begins a day earlier.) The walk is date + time, never timestamptz.
-- Three readings of the zone tell that no change is near, which spares a call of instant_of in nearly every case.
create or replace function gnomon_data.next_occurrence(
    rule jsonb, time_zone text, after_utc timestamptz, out due_at_utc timestamptz, out nominal_local timestamp, out kind text)
language plpgsql stable parallel safe
as $$
declare
    at_time constant time := (rule->>'time')::time;
    is_every_day constant boolean := rule->>'kind' = 'daily'
        and not rule ?| array['every', 'start', 'end', 'not', 'calendars', 'until', 'months', 'month_days', 'days'];
    shift_for interval := interval '0';
    base_utc timestamptz := after_utc;
    shown timestamp;
    day date;
    found record;
begin
    if rule ? 'offset' then
        shift_for := make_interval(secs => (rule->'offset')::float8);
        base_utc := after_utc - shift_for;
    end if;
    if at_time is null then
        if rule->>'kind' = 'elapsed' then
            due_at_utc := gnomon_data.next_elapsed(rule, base_utc) + shift_for;
            return;
        elsif rule->>'kind' = 'cron' then
            -- Assigned, not selected: that is half of what a call costs.
            found := gnomon_data.next_cron(rule, time_zone, base_utc);
            due_at_utc := found.due_at_utc + shift_for;
            nominal_local := found.nominal_local;
            kind := found.kind;
            return;
        end if;
        due_at_utc := (rule->>'at')::timestamptz + shift_for;
        due_at_utc := case when due_at_utc > after_utc then due_at_utc end;
        return;
    end if;
    shown := base_utc at time zone time_zone;
    if shown is null then
        return;
    end if;
    day := shown::date + (case when shown::time >= at_time then 1 else 0 end) - (case when rule ? 'overlap' then 1 else 0 end);
    loop
        if not is_every_day then
            day := gnomon_data.next_day(rule, day);
        end if;
        exit when day is null or not day between date '0001-01-01' and date '9999-12-31';
        nominal_local := day + at_time;
        due_at_utc := nominal_local at time zone time_zone;
        kind := 'exact';
        if due_at_utc at time zone time_zone <> nominal_local
           or (due_at_utc - interval '24 hours') at time zone time_zone <> nominal_local - interval '24 hours' then
            select i.at_utc, i.kind into due_at_utc, kind
              from gnomon_data.instant_of(nominal_local, time_zone, rule->>'gap', rule->>'overlap') as i;
        end if;
        exit when not is_every_day and due_at_utc > (rule->>'until')::timestamptz;
        if due_at_utc > base_utc then
            due_at_utc := due_at_utc + shift_for;
            return;
        end if;
        day := day + 1;
    end loop;
    due_at_utc := null;
    nominal_local := null;
    kind := null;
end
$$;

comment on function gnomon_data.next_occurrence(jsonb, text, timestamptz) is
    'The first occurrence of a compiled rule strictly later than after_utc, both after the offset; all null when nothing is left.';
