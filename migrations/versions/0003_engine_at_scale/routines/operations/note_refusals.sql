-- A row a call: a count kept in the operation would have whoever edits one schedule wait for the sweep.
create or replace function gnomon_data.note_refusals(refusals jsonb[]) returns void
language sql volatile
as $$
    insert into gnomon_data.mass_refusals (operation_id, refused_count, examples)
    select (r.value ->> 'operation_id')::uuid, count(*),
           jsonb_path_query_array(jsonb_agg(jsonb_strip_nulls(r.value - 'operation_id')), '$[0 to 4]')
      from unnest(refusals) as g (list) cross join lateral jsonb_array_elements(g.list) as r (value)
     group by 1
$$;

comment on function gnomon_data.note_refusals(jsonb[]) is 'Notes what change_in_turn refused: how many of each operation, with some of them.';
