-- There is no walk backwards: the span before until_utc is doubled until it holds enough, then halved. So nothing older than
-- twice what is asked for is looked at, however long the outage was.
create or replace function gnomon_data.before_last(rule jsonb, time_zone text, from_utc timestamptz, until_utc timestamptz, wanted int)
returns timestamptz
language plpgsql stable parallel safe
as $$
declare
    span_for interval := interval '1 minute';
    enough_utc timestamptz := until_utc - span_for;
    short_utc timestamptz := until_utc;
    middle_utc timestamptz;
    counted bigint;
begin
    loop
        counted := gnomon_data.count_occurrences(rule, time_zone, greatest(enough_utc, from_utc), until_utc);
        exit when counted >= wanted or enough_utc <= from_utc;
        short_utc := enough_utc;
        span_for := span_for * 2;
        enough_utc := until_utc - span_for;
    end loop;
    enough_utc := greatest(enough_utc, from_utc);
    while counted > wanted loop
        middle_utc := enough_utc + (short_utc - enough_utc) / 2;
        -- No two occurrences are closer than a second.
        exit when short_utc - enough_utc < interval '1 ms';
        case sign(gnomon_data.count_occurrences(rule, time_zone, middle_utc, until_utc) - wanted)
        when 0 then
            return middle_utc;
        when 1 then
            enough_utc := middle_utc;
        else
            short_utc := middle_utc;
        end case;
    end loop;
    return enough_utc;
end
$$;

comment on function gnomon_data.before_last(jsonb, text, timestamptz, timestamptz, int) is
    'An instant, not before from_utc, after which exactly the last `wanted` occurrences up to until_utc are due, or all when there are fewer.';
