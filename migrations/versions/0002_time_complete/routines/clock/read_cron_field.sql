-- One field: a list of *, a, a-b, each with /step, names, and what only the day fields know. The mask has a character for
-- each value from the lowest on. Day of month has one more, the 32nd: L. Sunday ends a range as 7: SAT-SUN is two days.
create or replace function gnomon_data.read_cron_field(
    given text, field int, pointer text, out mask text, out nth jsonb, out at int, out fault gnomon_data.fault)
language plpgsql immutable parallel safe
as $$
declare
    low constant int := case when field in (3, 4) then 1 else 0 end;
    high constant int := (array[59, 23, 31, 12, 7])[field];
    size constant int := (array[60, 24, 31, 12, 7])[field];
    is_day_field constant boolean := field in (3, 5);
    bits varbit := repeat('0', high - low + case field when 3 then 2 else 1 end)::varbit;
    item text;
    part text[];
    first int;
    last int;
    step int;
begin
    if given = '*' or (given = '?' and is_day_field) then
        -- L adds nothing to all days.
        mask := repeat('1', high - low + 1) || case field when 3 then '0' else '' end;
        return;
    end if;
    at := 1;
    foreach item in array string_to_array(given, ',') loop
        part := regexp_match(item, '^(?:[*]|([0-9]{1,2}|[a-z]{3})(?:-([0-9]{1,2}|[a-z]{3}))?)(?:/([0-9]{1,2}))?$', 'i');
        first := gnomon_data.cron_value(part[1], field);
        last := gnomon_data.cron_value(part[2], field);
        step := part[3]::int;
        if part is not null and left(item, 1) = '*' then
            first := low;
        end if;
        if part[2] is null and (step is not null or left(item, 1) = '*') then
            last := high;
        elsif field = 5 and last = 0 and first > 0 and part[2] !~ '^[0-9]' then
            last := 7;
        elsif part[2] is null then
            last := first;
        end if;
        if first between low and high and last between first and high and coalesce(step, 1) between 1 and size then
            bits := bits | (repeat('0', first - low) || left(repeat('1' || repeat('0', coalesce(step, 1) - 1), last - first + 1),
                last - first + 1) || repeat('0', length(bits) - 1 + low - last))::varbit;
        elsif field = 3 and item in ('L', 'l') then
            bits := set_bit(bits, 31, 1);
        elsif field = 5 and item ~* '^([0-7]|SUN|MON|TUE|WED|THU|FRI|SAT)(L|#[1-5])$' then
            first := gnomon_data.cron_value(substring(item from '(?i)^([0-7]|[a-z]{3})'), field);
            nth := coalesce(nth, '[]') || jsonb_build_array(jsonb_build_array(
                coalesce(substring(item from '#(.)')::int, -1), case first when 0 then 7 else first end));
        else
            fault := gnomon_data.cron_item_fault(item, field, pointer);
            return;
        end if;
        at := at + length(item) + 1;
    end loop;
    mask := bits::text;
end
$$;

comment on function gnomon_data.read_cron_field(text, int, text) is
    'Reads field 1 to 5 of a cron text: a mask of 0 and 1, nth weekdays apart as [[n, 1 to 7]]; or the fault and where in the field it is.';
