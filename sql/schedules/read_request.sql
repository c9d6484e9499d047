-- Everything about a request that needs neither the clock nor a table but those of the zones and categories. Returns its fault in the
-- draft; the first one wins. kept_category: what a schedule that is changed names already, which may have been dropped since.
create or replace function gnomon_data.read_request(request jsonb, ordinal int, kept_category text default null)
returns gnomon_data.draft
language plpgsql stable
as $$
declare
    d gnomon_data.draft;
    n jsonb;
begin
    d.ordinal := ordinal;
    select r.normalised, r.fault into n, d.fault from gnomon_data.normalise_request(request) as r;
    if (d.fault).code is not null then
        return d;
    end if;
    d.fault := gnomon_data.request_fault(n);
    if (d.fault).code is not null then
        return d;
    end if;
    d.user_id := n ->> 'user_id';
    d.shard := gnomon_data.shard_of(d.user_id);
    d.template_id := n ->> 'template_id';
    d.lane := gnomon_data.lane_of(coalesce(n ->> 'lane', 'transactional'));
    d.params := nullif(n -> 'params', '{}');
    d.labels := nullif(n -> 'labels', '{}');
    d.dedup_key := n ->> 'dedup_key';
    d.key := n ->> 'key';
    d.wanted_if_past := n ->> 'if_past';
    d.request_hash := gnomon_data.hash_of(n::text);
    d.when_words := gnomon_data.when_words(n);
    select c.channels, c.fault into d.channels, d.fault from gnomon_data.read_channels(n -> 'channels') as c;
    if (d.fault).code is null then
        select c.rule, c.fault into d.compiled, d.fault from gnomon_data.compile_rule(n) as c;
    end if;
    if (d.fault).code is null then
        select d.compiled || m.part, m.fault into d.compiled, d.fault from gnomon_data.compile_misfire(n) as m;
    end if;
    if (d.fault).code is null and n ? 'timezone' then
        d.time_zone := n ->> 'timezone';
        d.time_zone_source := 'request';
        d.fault := gnomon_data.zone_fault(d.time_zone);
    end if;
    d.is_recurring := d.compiled ->> 'kind' not in ('instant', 'relative', 'time', 'once');
    if (d.fault).code is null then
        d := gnomon_data.read_limits(d, n);
    end if;
    if (d.fault).code is null and n ? 'category' then
        d := gnomon_data.take_category(d, n, kept_category);
    end if;
    return d;
end
$$;

comment on function gnomon_data.read_request(jsonb, int, text) is 'A request read into a draft, or the fault that it has.';
