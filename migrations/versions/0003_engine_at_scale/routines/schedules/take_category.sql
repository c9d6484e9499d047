-- The lane is decided here, once: ids, timers and partitions carry it. Channels and expiry are only looked at; they are the
-- category's of the day when it fires, as the installation's channels are for what names none.
create or replace function gnomon_data.take_category(d gnomon_data.draft, n jsonb, kept_category text) returns gnomon_data.draft
language plpgsql stable
as $$
declare
    known gnomon_data.categories;
begin
    d.category := n ->> 'category';
    d.has_own_lane := case when n ? 'lane' then true end;
    select c.* into known from gnomon_data.categories as c where c.name = d.category;
    if known.name is null or known.dropped_at_utc is not null and d.category is distinct from kept_category then
        d.fault := gnomon_data.category_fault(d.category, known.name is not null);
    elsif d.expires_for is null and d.expires_at_utc is null and d.window_for >= known.expires_for then
        d.fault := gnomon_data.field_fault('GN024', '/window',
            format('must be shorter than the %s in which category %s expires: what the spread puts later would expire before it fires',
                gnomon_data.duration_text(known.expires_for), d.category), 'say expires_in');
    end if;
    d.lane := case when d.has_own_lane then d.lane else known.lane end;
    return d;
end
$$;

comment on function gnomon_data.take_category(gnomon_data.draft, jsonb, text) is
    'The category of a request read into its draft: GN024 unless it may be named.';
