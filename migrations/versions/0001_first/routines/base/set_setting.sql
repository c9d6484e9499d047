-- Settings are few and named here: a misspelt one must not be accepted and ignored, and a value that no schedule could use
-- is refused here and not found out by the first schedule.
create or replace function gnomon.set_setting(name text, value text) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
    perform gnomon_data.raise_fault(gnomon_data.setting_fault(set_setting.name, nullif(set_setting.value, '')));
    if set_setting.value is null or set_setting.value = '' then
        delete from gnomon_data.settings as s where s.name = set_setting.name;
    else
        insert into gnomon_data.settings as s (name, value) values (set_setting.name, set_setting.value)
        on conflict on constraint settings_pkey do update set value = excluded.value
        where s.value is distinct from excluded.value;
    end if;
end
$$;

comment on function gnomon.set_setting(text, text) is
    'Writes a setting that SQL functions read; null or empty removes it. GN010, GN024 and GN027 for what no schedule could use.';
revoke all on function gnomon.set_setting(text, text) from public;
grant execute on function gnomon.set_setting(text, text) to gnomon_worker;
