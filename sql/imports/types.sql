create type gnomon.import_step as (accepted_count int, repeated_count int, refused_count int);
comment on type gnomon.import_step is
    'What one call of import_requests did: accepted anew or changed, there already, refused.';

create type gnomon.import_place as (
    stream smallint, done_line bigint, accepted_count bigint, repeated_count bigint, refused_count bigint
);
comment on type gnomon.import_place is 'How far a stream of an import is, and what became of its lines so far.';

create type gnomon.import_fault as (line bigint, error_code text, error_detail text, error_hint text, error_pointer text);
comment on type gnomon.import_fault is 'A line of a file that was refused.';

create type gnomon.checked_item as (ordinal int, error_code text, error_detail text, error_hint text, error_pointer text);
comment on type gnomon.checked_item is 'One answer of check_many: ordinal counts from 1; error_code is null when nothing is wrong.';
