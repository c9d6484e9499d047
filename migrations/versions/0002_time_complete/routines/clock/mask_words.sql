-- Three and more in a row are said as a range, a whole week or year not at all.
create or replace function gnomon_data.mask_words(mask text, names text[]) returns text
language plpgsql immutable strict parallel safe
as $$
declare
    words text[] := '{}';
    place int := 1;
    run int;
begin
    while place <= length(mask) loop
        run := length(substring(substr(mask, place) from '^1*'));
        if run > 2 then
            words := words || format('%s to %s', names[place], names[place + run - 1]);
        else
            words := words || names[place:place + run - 1];
        end if;
        place := place + run + 1;
    end loop;
    return gnomon_data.listed(words);
end
$$;

comment on function gnomon_data.mask_words(text, text[]) is 'The names that a mask of 0 and 1 selects, as a sentence lists them: Monday to Thursday and Sunday.';
