create or replace function gnomon_data.rrule_weekdays() returns table (day text, place int)
language sql immutable parallel safe
as $$ values ('MO', 1), ('TU', 2), ('WE', 3), ('TH', 4), ('FR', 5), ('SA', 6), ('SU', 7) $$;

comment on function gnomon_data.rrule_weekdays() is 'The weekdays as RFC 5545 writes them, 1 to 7.';
