-- An import that is under way. A stream is the lines of some users, in the order of the file: a user's lines never overtake
-- each other, though several sessions work. Gone when the import is through.
create table gnomon_data.import_streams (
    file_digest bytea not null,
    stream smallint not null,
    done_line bigint not null,
    accepted_count bigint not null default 0,
    repeated_count bigint not null default 0,
    refused_count bigint not null default 0,
    moved_at_utc timestamptz not null,
    constraint import_streams_pkey primary key (file_digest, stream)
)
with (fillfactor = 50);
comment on table gnomon_data.import_streams is 'How far each stream of an import is: written in the transaction that writes the schedules.';

create table gnomon_data.import_faults (
    file_digest bytea not null,
    line bigint not null,
    error_code text not null,
    error_detail text,
    error_hint text,
    error_pointer text,
    constraint import_faults_pkey primary key (file_digest, line)
);
comment on table gnomon_data.import_faults is 'Lines of an import under way that were refused; the lines themselves stay in the file.';
