create or replace function gnomon_data.place_nth(nth jsonb, days text, first_weekday int) returns text
language plpgsql immutable parallel safe
as $$
declare
    length constant int := length(days);
    n int;
    weekday int;
    place int;
begin
    for i in 0..jsonb_array_length(nth) - 1 loop
        n := (nth->i->0)::int;
        weekday := (nth->i->1)::int;
        place := 1 + mod(weekday - first_weekday + 7, 7);
        place := case when n > 0 then place + 7 * (n - 1) else place + (length - place) / 7 * 7 + 7 * (n + 1) end;
        if place between 1 and length then
            days := overlay(days placing '1' from place);
        end if;
    end loop;
    return days;
end
$$;

comment on function gnomon_data.place_nth(jsonb, text, int) is
    'The days of a month as 0 and 1, with each [n, weekday] of nth added; n counts from the end when negative. first_weekday is that of the 1st, 1 to 7.';
