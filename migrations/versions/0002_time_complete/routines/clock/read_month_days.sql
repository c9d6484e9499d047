create or replace function gnomon_data.read_month_days(given jsonb, pointer text, out days int[], out fault gnomon_data.fault)
language plpgsql immutable parallel safe
as $$
declare
    item jsonb;
begin
    if jsonb_typeof(given) <> 'array' then
        fault := gnomon_data.field_fault('GN024', pointer, 'must be an array of days, not ' || left(given::text, 64), 'such as [1, 15] or [-1] for the last');
        return;
    elsif given = jsonb '[]' or jsonb_array_length(given) > 62 then
        fault := gnomon_data.field_fault('GN015', pointer, 'must name 1 to 62 days', 'leave it out for the day of month of the first day');
        return;
    end if;
    for n in 0..jsonb_array_length(given) - 1 loop
        item := given->n;
        if jsonb_typeof(item) <> 'number' then
            fault := gnomon_data.field_fault('GN024', pointer || '/' || n, 'must be a whole number, not ' || left(item::text, 64));
            return;
        elsif item::numeric = 0 or abs(item::numeric) > 31 or item::numeric <> trunc(item::numeric) then
            fault := gnomon_data.field_fault('GN015', pointer || '/' || n,
                format('must be a day 1 to 31, or -1 to -31 from the end, not %s', left(item::text, 64)),
                case when item::numeric = 0 then '-1 is the last day of the month' end);
            return;
        end if;
    end loop;
    select array_agg(distinct d::numeric::int order by d::numeric::int) into days from jsonb_array_elements_text(given) as d;
end
$$;

comment on function gnomon_data.read_month_days(jsonb, text) is
    'Reads days of a month, 1 to 31 and -1 to -31 from the end, sorted and each once; GN024 for other types, GN015 for other numbers and none at all.';
