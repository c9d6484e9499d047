-- Settings are few and named here: a misspelt one must not be accepted and ignored.
create or replace function gnomon.set_setting(name text, value text) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
    if set_setting.name is null
       or set_setting.name not in ('default_time_zone', 'default_channels', 'has_webhook', 'notify', 'fire_ahead', 'templates') then
        perform gnomon_data.fail('GN024', format('no setting is called %L', set_setting.name),
            'known: default_time_zone, default_channels, has_webhook, notify, fire_ahead, templates', '/name');
    end if;
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
    'Writes a setting that SQL functions read; null or empty removes it. GN024 for an unknown name.';
revoke all on function gnomon.set_setting(text, text) from public;
grant execute on function gnomon.set_setting(text, text) to gnomon_worker;
