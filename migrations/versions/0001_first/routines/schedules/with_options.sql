-- An option that says what an argument says already is a contradiction, also under its other name.
create or replace function gnomon_data.with_options(options jsonb, arguments jsonb) returns jsonb
language plpgsql immutable
as $$
declare
    twice text;
begin
    if options is null then
        return arguments;
    elsif jsonb_typeof(options) <> 'object' then
        perform gnomon_data.fail('GN024', 'options must be a JSON object');
    end if;
    select e.key into twice from jsonb_each(options) as e
      join gnomon_data.request_fields() as f on e.key in (f.field, f.alias)
     where arguments ? f.field and e.value <> 'null' limit 1;
    if twice is not null then
        perform gnomon_data.fail('GN024', format('options.%s has an argument of its own', twice), pointer => '/' || twice);
    end if;
    return options || arguments;
end
$$;

comment on function gnomon_data.with_options(jsonb, jsonb) is 'The request of a short form; GN024 when an option repeats an argument.';
