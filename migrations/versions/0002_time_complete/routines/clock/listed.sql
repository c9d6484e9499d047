create or replace function gnomon_data.listed(words text[]) returns text
language sql immutable parallel safe
as $$
    select nullif(case when cardinality(words) < 3 then array_to_string(words, ' and ')
        else array_to_string(trim_array(words, 1), ', ') || ' and ' || words[cardinality(words)] end, '')
$$;

comment on function gnomon_data.listed(text[]) is 'Words as a sentence lists them: a, b and c; null for none.';
