-- Where in the caller's text: only asked when something is wrong, so that reading good texts does not count characters.
create or replace function gnomon_data.place_cron_fault(fault gnomon_data.fault, given text, bare text, field int, at int)
returns gnomon_data.fault
language plpgsql immutable parallel safe
as $$
declare
    before constant text := substring(bare from format('^(?:[^ \t]+[ \t]+){%s}', field - 1));
begin
    fault.message := replace(fault.message, ' (', format(' at character %s (',
        strpos(given, left(bare, 1)) + length(before) + at - 1));
    return fault;
end
$$;

comment on function gnomon_data.place_cron_fault(gnomon_data.fault, text, text, int, int) is
    'The fault of a field''s item with the place of the item in the whole text, counted from 1.';
