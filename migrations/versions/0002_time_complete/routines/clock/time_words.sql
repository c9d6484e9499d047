create or replace function gnomon_data.time_words(rule jsonb) returns text
language plpgsql immutable parallel safe
as $$
begin
    return case when rule ? 'minutes' then gnomon_data.cron_time_words(rule->>'minutes', rule->>'hours')
        else 'at ' || regexp_replace(rule->>'time', '^(.....):00$', '\1') end;
end
$$;

comment on function gnomon_data.time_words(jsonb) is 'When in a day a rule fires, in words: at 09:00, every 15 minutes from 09:00 to 17:45.';
