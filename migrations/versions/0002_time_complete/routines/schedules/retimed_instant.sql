-- The pending reading stays and is read by the rules of today: nine o'clock stays nine o'clock. Two readings do not tell
-- their instant alone. The second pass of an overlap, where a rule fires in both, is right as long as the rule itself still
-- comes to it. And what fires every hour asks for no reading but for the next instant that fits: moved with its
-- reading, an hour would come twice or never.
create or replace function gnomon_data.retimed_instant(
    rule jsonb, time_zone text, due_at_utc timestamptz, nominal_local timestamp, last_due_at_utc timestamptz, now_utc timestamptz,
    out to_utc timestamptz, out to_local timestamp, out kind text)
language plpgsql stable
as $$
declare
    found record;
begin
    if not rule ? 'every_hour' then
        select r.due_at_utc, r.kind into to_utc, kind from gnomon_data.due_of_reading(rule, time_zone, nominal_local) as r;
        to_local := nominal_local;
        if to_utc = due_at_utc then
            return;
        end if;
    end if;
    found := gnomon_data.next_occurrence(rule, time_zone, due_at_utc - interval '1 s');
    if found.due_at_utc = due_at_utc and (rule ? 'every_hour' or found.nominal_local = nominal_local) or to_utc is null then
        if found.due_at_utc is distinct from due_at_utc then
            found := gnomon_data.next_occurrence(rule, time_zone, greatest(now_utc, last_due_at_utc));
        end if;
        to_utc := found.due_at_utc;
        to_local := found.nominal_local;
        kind := found.kind;
    end if;
end
$$;

comment on function gnomon_data.retimed_instant(jsonb, text, timestamptz, timestamp, timestamptz, timestamptz) is
    'When a pending occurrence is due by the zone rules that this session knows; null when it never comes any more: then it keeps the instant it was promised for.';
