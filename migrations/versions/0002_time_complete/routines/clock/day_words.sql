create or replace function gnomon_data.day_words(rule jsonb) returns text
language plpgsql immutable parallel safe
as $$
declare
    kind constant text := rule->>'kind';
    every constant int := coalesce((rule->'every')::int, 1);
    months constant text := gnomon_data.month_words(rule->>'months');
    found record;
    days text;
    only_if text := '';
begin
    if kind = 'once' then
        return 'once, on ' || (rule->>'date');
    elsif kind = 'daily' and rule ? 'days' and every = 1 or kind = 'weekly' and every = 1 then
        days := 'every ' || gnomon_data.weekday_words(rule->>'days');
    elsif kind = 'daily' then
        days := case every when 1 then 'every day' else format('every %s days', every) end
            || coalesce(' that is a ' || replace(gnomon_data.weekday_words(rule->>'days'), ' and ', ' or '), '');
    elsif kind = 'weekly' then
        days := format('every %s weeks on %s', every, case rule->>'days' when '1111100' then 'weekdays' when '1111111' then 'all days'
            else gnomon_data.weekday_words(rule->>'days') end);
    end if;
    found := gnomon_data.month_day_words(rule - case when kind in ('daily', 'weekly') then 'days' else '' end);
    if days is not null then
        return days || coalesce(', only on ' || found.dates, '') || coalesce(' in ' || months, '');
    end if;
    -- In cron either suffices where both are named, elsewhere both have to match.
    days := case
        when found.dates is null then found.weekdays
        when found.weekdays is null then found.dates
        when kind = 'cron' and not rule ? 'day_and' then found.dates || ' and on ' || found.weekdays
        else found.dates end;
    if found.dates is not null and found.weekdays is not null and not (kind = 'cron' and not rule ? 'day_and') then
        only_if := ' when it is ' || replace(replace(found.weekdays, 'every ', 'a '), ' and ', ' or ');
    end if;
    if kind = 'cron' then
        return case
            when days is null then 'every day' || coalesce(' in ' || months, '')
            when found.dates is null and not rule ? 'nth' then days || coalesce(' in ' || months, '')
            else format('on %s of %s', days, coalesce(months, 'every month')) || only_if end;
    elsif kind = 'monthly' then
        days := format('on %s of %s', days, coalesce(months, case every when 1 then 'every month' else format('every %s months', every) end))
            || case when months is not null and every > 1 then format(', every %s months', every) else '' end;
    elsif rule ? 'nth_of_year' then
        days := format('on %s of %s', days, case every when 1 then 'every year' else format('every %s years', every) end);
    else
        days := format('on %s of %s', days, coalesce(months, 'every month'))
            || case every when 1 then case when months is null then '' else ' every year' end else format(' every %s years', every) end;
    end if;
    return days || only_if || coalesce(', of these only ' || gnomon_data.listed(
            array(select 'the ' || gnomon_data.ordinal(p::int) from jsonb_array_elements_text(rule->'set_pos') as p)), '')
        || case
            when jsonb_path_exists(rule->'month_days', '$[*] ? (@ > 28 || @ < -28)') and substr(rule->>'months', 2, 1) is distinct from '0'
              or jsonb_path_exists(rule->'month_days', '$[*] ? (@ > 30 || @ < -30)') and rule->>'months' ~ '^(...1|.{5}1|.{8}1|.{10}1)'
                then case when rule ? 'missing' then ' (where there is one)' else ' (or the nearest there is)' end
            else '' end;
end
$$;

comment on function gnomon_data.day_words(jsonb) is 'The calendar half of a rule in words: every weekday, on the 1st and the last day of every month.';
