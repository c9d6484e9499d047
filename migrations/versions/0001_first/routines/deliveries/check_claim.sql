create or replace function gnomon_data.check_claim(lane text, at_most int, lease_for interval) returns smallint
language plpgsql immutable set search_path = ''
as $$
begin
    if gnomon_data.lane_of(lane) is null then
        perform gnomon_data.fail('GN024', format('lane %L is unknown', lane), 'critical, transactional or bulk', '/lane');
    end if;
    if at_most is null or at_most not between 0 and 1000 then
        perform gnomon_data.fail('GN024', 'at_most must be between 0 and 1000', pointer => '/at_most');
    end if;
    if lease_for is null or lease_for < interval '1 s' or lease_for > interval '1 day' then
        perform gnomon_data.fail('GN024', 'lease_for must be between 1 second and 1 day', pointer => '/lease_for');
    end if;
    return gnomon_data.lane_of(lane);
end
$$;

comment on function gnomon_data.check_claim(text, int, interval) is 'The lane''s number when the arguments of a claim are sound, else GN024.';
