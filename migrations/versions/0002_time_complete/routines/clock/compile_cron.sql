-- Five fields, read once when the rule is written, so that firing only looks masks up. Lists, ranges and steps become
-- masks; which of both day fields decides (OR, AND, one of them, none) is settled here too. A date that never comes is
-- refused: a schedule that is accepted and never fires is worse than an error.
create or replace function gnomon_data.compile_cron(given text, pointer text, out rule jsonb, out fault gnomon_data.fault)
language plpgsql stable parallel safe
as $$
declare
    bare constant text := gnomon_data.cron_of_macro(btrim(given, E' \t'));
    fields constant text[] := string_to_array(regexp_replace(bare, '[ \t]+', ' ', 'g'), ' ');
    -- Crontab's own rule: where both day fields say something, either suffices; a field that begins with a star only thins out.
    is_and constant boolean := fields[3] ~ '^[*?]' or fields[5] ~ '^[*?]';
    masks text[] := '{}';
    part record;
    days text;
    nth jsonb := '[]';
    has_dates boolean;
    has_days boolean;
begin
    fault := gnomon_data.cron_text_fault(given, bare, fields, pointer);
    if fault.code is not null then
        return;
    end if;
    for n in 1..5 loop
        part := gnomon_data.read_cron_field(fields[n], n, pointer);
        fault := part.fault;
        if fault.code is not null then
            fault := gnomon_data.place_cron_fault(fault, given, bare, n, part.at);
            return;
        end if;
        masks[n] := part.mask;
        nth := coalesce(part.nth, nth);
    end loop;
    -- Sunday is 0 and 7 there, the last of MON to SUN here.
    days := substr(masks[5], 2, 6) || case when '1' in (left(masks[5], 1), right(masks[5], 1)) then '1' else '0' end;
    has_dates := left(masks[3], 31) ~ '0';
    has_days := days ~ '0';
    if not is_and and not (has_dates and has_days) then
        has_dates := false;
        has_days := false;
    end if;
    rule := jsonb_strip_nulls(jsonb_build_object(
        'kind', 'cron', 'minutes', masks[1], 'hours', masks[2],
        'every_hour', case when masks[2] !~ '0' then true end,
        'months', case when masks[4] ~ '0' then masks[4] end,
        'dates', case when has_dates then left(masks[3], 31) end,
        'last_day', case when has_dates and right(masks[3], 1) = '1' then true end,
        'days', case when has_days then days end,
        'nth', case when has_days and nth <> '[]' then nth end,
        'day_and', case when has_dates and has_days and is_and then true end));
    if gnomon_data.next_cron_day(rule, date '2000-01-01') is null then
        rule := null;
        fault := gnomon_data.field_fault('GN012', pointer, format('%s names a date that never comes: the rule never fires',
            gnomon_data.quoted(given)), 'L in day of month is the last day of any month');
    end if;
end
$$;

comment on function gnomon_data.compile_cron(text, text) is
    'Compiles a cron text of five fields or a macro; GN011 names the field, the place in the text and what was expected, GN012 a date that never comes.';
