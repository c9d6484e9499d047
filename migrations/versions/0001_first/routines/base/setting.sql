create or replace function gnomon_data.setting(name text, fallback text default null) returns text
language sql stable
as $$ select coalesce((select s.value from gnomon_data.settings as s where s.name = setting.name), setting.fallback) $$;

comment on function gnomon_data.setting(text, text) is 'The value of a setting, else the fallback.';
