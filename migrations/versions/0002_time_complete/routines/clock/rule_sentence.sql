-- For people: what a form shows under its fields, and what preview and explain say first. Made of the compiled rule, so that
-- it tells what will happen and not what was written: MON-FRI and 1-5 read alike.
create or replace function gnomon_data.rule_sentence(rule jsonb, time_zone text) returns text
language plpgsql stable parallel safe
as $$
declare
    kind constant text := rule->>'kind';
    shift constant numeric := (rule->'offset')::numeric;
    exclusions constant int := jsonb_array_length(rule->'not');
    times constant text := case when gnomon_data.has_readings(rule) then gnomon_data.time_words(rule) end;
    words text;
begin
    if kind = 'elapsed' then
        words := format('every %s of elapsed time', regexp_replace(gnomon_data.span_words((rule->'step')::numeric), '^1 (week|day|hour|minute|second)$', '\1'))
            || coalesce(', counted from ' || regexp_replace(rule->>'from', '([.]0+)?Z$', 'Z'), '');
    elsif times is null then
        words := 'once, at ' || regexp_replace(rule->>'at', '([.]0+)?Z$', 'Z');
    elsif kind = 'cron' and times !~ '^at ' then
        words := concat_ws(', ', nullif(gnomon_data.day_words(rule), 'every day'), times);
    elsif kind = 'time' then
        words := 'once, ' || times;
    else
        words := gnomon_data.day_words(rule) || ' ' || times;
    end if;
    return concat_ws(', ', words,
        case when shift is not null then format('%s %s', gnomon_data.span_words(abs(shift)), case when shift > 0 then 'later' else 'earlier' end) end,
        case when times is not null then time_zone end,
        case when rule ? 'anchor' and kind <> 'elapsed' then 'counted from ' || (rule->>'anchor')
             when rule ? 'start' then 'from ' || (rule->>'start') end,
        'weeks beginning on ' || gnomon_data.weekday_words(overlay('0000000' placing '1' from (rule->'week_start')::int)),
        'until ' || coalesce(rule->>'end', rule->>'until'),
        case (rule->'end_after')::int when 1 then 'once' else (rule->>'end_after') || ' times' end,
        case when exclusions is null then null when exclusions <= 3 then 'not on ' || gnomon_data.listed(array(select jsonb_array_elements_text(rule->'not')))
             else format('not on %s dates', exclusions) end,
        'not on days of ' || (select gnomon_data.listed(array_agg(c)) from jsonb_array_elements_text(rule->'calendars') as c),
        case when rule ? 'gap' and not rule ? 'every_hour' then 'left out when the clock skips it' end,
        case when rule ? 'overlap' and not rule ? 'every_hour' then 'the second time when the clock shows it twice' end);
end
$$;

comment on function gnomon_data.rule_sentence(jsonb, text) is
    'A compiled rule in one plain sentence: every weekday at 09:00, Europe/Berlin.';
