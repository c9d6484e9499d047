-- The quick look that comes before is_doomed: no query within, so that it costs little for each of a batch. targets are
-- those of all mass cancels in effect, open_hashes those of the ones whose transactions are open.
create or replace function gnomon_data.may_be_meant(
    user_id text, template_id text, labels jsonb, targets text[], open_hashes bigint[]) returns boolean
language plpgsql immutable parallel safe
as $$
declare
    target text;
    label record;
begin
    target := 'user::' || user_id;
    if target = any (targets) or gnomon_data.hash_of_target(target) = any (open_hashes) then
        return true;
    end if;
    target := 'template::' || template_id;
    if target = any (targets) or gnomon_data.hash_of_target(target) = any (open_hashes) then
        return true;
    end if;
    if labels is not null then
        for label in select l.key, l.value from jsonb_each_text(labels) as l loop
            target := gnomon_data.target_of('label', label.key, label.value);
            if target = any (targets) or gnomon_data.hash_of_target(target) = any (open_hashes) then
                return true;
            end if;
        end loop;
    end if;
    return false;
end
$$;

comment on function gnomon_data.may_be_meant(text, text, jsonb, text[], bigint[]) is
    'Whether any of these targets or hashes is one of the schedule''s, spared or not.';
