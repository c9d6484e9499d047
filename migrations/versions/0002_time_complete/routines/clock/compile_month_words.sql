create or replace function gnomon_data.compile_month_words(words jsonb, out rule jsonb, out fault gnomon_data.fault)
language plpgsql immutable parallel safe
as $$
declare
    part record;
begin
    rule := '{}';
    if words ? 'days_of_month' and words ? 'nth' then
        fault := gnomon_data.field_fault('GN015', '/recurrence/nth', 'contradicts days_of_month', 'give one of them');
    elsif words ? 'on_missing_day' and words->>'on_missing_day' not in ('last', 'skip') then
        fault := gnomon_data.field_fault('GN015', '/recurrence/on_missing_day',
            'must be last or skip, not ' || gnomon_data.quoted(words->>'on_missing_day'));
    elsif words ? 'on_missing_day' and words ? 'nth' then
        fault := gnomon_data.field_fault('GN015', '/recurrence/on_missing_day', 'goes with days of the month, not with nth',
            'a month without a fifth weekday is left out; n = -1 is the last one');
    elsif words ? 'days_of_month' then
        part := gnomon_data.read_month_days(words->'days_of_month', '/recurrence/days_of_month');
        rule := jsonb_build_object('month_days', part.days);
        fault := part.fault;
    elsif words ? 'nth' then
        part := gnomon_data.read_nth(words->'nth', '/recurrence/nth');
        rule := jsonb_build_object('nth', part.nth);
        fault := part.fault;
    end if;
    if words->>'on_missing_day' = 'skip' then
        rule := rule || jsonb '{"missing": "skip"}';
    end if;
end
$$;

comment on function gnomon_data.compile_month_words(jsonb) is 'days_of_month, nth and on_missing_day compiled.';
