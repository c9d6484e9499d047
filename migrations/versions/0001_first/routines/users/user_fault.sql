create or replace function gnomon_data.user_fault(user_id text, time_zone text, locale text) returns gnomon_data.fault
language plpgsql stable
as $$
declare
    fault gnomon_data.fault;
begin
    fault := gnomon_data.text_fault(jsonb_build_object('user_id', user_id), 'user_id', true);
    if (fault).code is null and time_zone is not null then
        fault := gnomon_data.zone_fault(time_zone);
    end if;
    if (fault).code is null and locale is not null and (char_length(locale) > 35 or locale !~ '^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$') then
        fault := gnomon_data.field_fault('GN024', '/locale', format('must be a language tag, not "%s"', left(locale, 64)), 'such as en, de-AT, zh-Hant-TW');
    end if;
    return fault;
end
$$;

comment on function gnomon_data.user_fault(text, text, text) is 'GN010 or GN024 for what is wrong with a user, null when nothing is.';
