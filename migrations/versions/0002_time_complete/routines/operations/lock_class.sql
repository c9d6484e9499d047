create or replace function gnomon_data.lock_class() returns int
language sql immutable parallel safe
as $$ select 1196314946 $$;

comment on function gnomon_data.lock_class() is
    'The first key of our advisory locks; the second is the hash of a target, held by an open mass cancel, or -1, held by claims that passed one.';
