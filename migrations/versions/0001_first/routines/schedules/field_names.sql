-- Immutable and without a table: the planner folds a call into a constant, once a session and not once a request.
create or replace function gnomon_data.field_names(which text) returns text[]
language sql immutable parallel safe
as $$
    select array_agg(f.field) from gnomon_data.request_fields() as f
     where case which when 'built' then f.is_built when 'other than when' then not f.says_when end
$$;

comment on function gnomon_data.field_names(text) is 'Names of request fields: built, or other than when.';
