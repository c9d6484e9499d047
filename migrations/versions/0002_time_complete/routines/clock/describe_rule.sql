create or replace function gnomon.describe_rule(rule jsonb, time_zone text, after_utc timestamptz default null) returns text
language plpgsql stable security definer set search_path = ''
as $$
declare
    compiled jsonb;
begin
    perform gnomon_data.raise_fault(gnomon_data.zone_fault(time_zone));
    compiled := gnomon_data.compile_preview(rule);
    return gnomon_data.rule_sentence(
        gnomon_data.anchor_rule(compiled, time_zone, coalesce(after_utc, gnomon_data.now_utc())), time_zone);
end
$$;

comment on function gnomon.describe_rule(jsonb, text, timestamptz) is
    'A rule of next_occurrences in one plain sentence, as it stands when it is accepted at after_utc (absent: now): every weekday at 09:00, Europe/Berlin.';
revoke all on function gnomon.describe_rule(jsonb, text, timestamptz) from public;
grant execute on function gnomon.describe_rule(jsonb, text, timestamptz) to gnomon_caller, gnomon_reader;
