-- Whether an error speaks of the row it met and not of the moment or the installation: values (22), constraints (21, 23, 44),
-- limits of the program (54), what a function raised (P0, GN), damaged or impossible data (XX). Not so a deadlock, a timeout,
-- a full disk, a routine that a migration is just replacing (42): there every row would fail, and setting all of them aside
-- would be a second fault. A partition that is missing looks like a check constraint without a name.
create or replace function gnomon_data.is_poison(code text, constraint_name text) returns boolean
language sql immutable
as $$
    select left(code, 2) in ('21', '22', '23', '44', '54', 'P0', 'GN', 'XX') and not (code = '23514' and coalesce(constraint_name, '') = '')
$$;

comment on function gnomon_data.is_poison(text, text) is 'Whether an error (SQLSTATE, name of the constraint) is the fault of the row that raised it.';
