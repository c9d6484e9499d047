create or replace function gnomon_data.calendar_name_fault(calendar text) returns gnomon_data.fault
language sql immutable parallel safe
as $$ select gnomon_data.text_fault(jsonb_strip_nulls(jsonb_build_object('calendar', calendar)), 'calendar', true) $$;

comment on function gnomon_data.calendar_name_fault(text) is 'GN024 unless the name of a calendar has 1 to 255 characters without control characters.';
