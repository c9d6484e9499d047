"""What a revision does with the files of its folder, and how `sql/` is loaded whole.

A revision reads its own folder only, and going down the newest earlier copies, so that history replays exactly whatever
`sql/` says today. `gnomon.database.history` tells what a folder holds.

up:    up.sql, then what is gone is dropped, then the copies of routines, then the views
down:  views are dropped, down.sql, then what this revision made is dropped, then the earlier copies and views come back

What is dropped is tried before the file of steps as well: a type cannot go while a routine answers it, and a routine
cannot go while a constraint calls it, so that each of the two goes at the time when it can.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import psycopg
import sqlalchemy as sa
from alembic import op

from gnomon.database import roles, source
from gnomon.database.history import Folder, views_in

#: Bodies may name what a later file makes; the tests check them by calling them.
_LOADING: Final = "set local check_function_bodies = off;"

#: By name and not by arguments: there are no overloads, and what is dropped may be older than the file that names it.
_FORMS: Final = """
select p.oid::regprocedure as routine, n.nspname = 'gnomon' as is_public
  from pg_proc as p join pg_namespace as n on n.oid = p.pronamespace
 where n.nspname || '.' || p.proname = any(array[{names}]::text[])
"""
_DROP: Final = f"""
do $$ declare form record; begin
    for form in {_FORMS} loop
        {{statement}}
    end loop;
end $$;
"""
_DROP_NOW: Final = "execute 'drop routine ' || form.routine;"
_DROP_WHAT_CAN_GO: Final = f"begin {_DROP_NOW} exception when dependent_objects_still_exist then null; end;"

_OURS: Final = ", ".join(roles.ROLES)

# `create or replace` keeps rights and comment of the form before; the copy says all of them anew. Rights of roles that are
# not ours stay. A private routine has none: taking them away would leave a list of rights where a new one has nothing.
_BARE: Final = f"""
do $$ declare form record; begin
    for form in {_FORMS} loop
        execute 'comment on routine ' || form.routine || ' is null';
        if form.is_public then
            execute 'revoke all on routine ' || form.routine || ' from {_OURS}';
        end if;
    end loop;
end $$;
"""
_BARE_VIEW: Final = f"""
do $$ begin
    if to_regclass('{{name}}') is not null then
        comment on view {{name}} is null;
        revoke all on {{name}} from {_OURS};
    end if;
end $$;
"""


class SqlFileFailed(RuntimeError):
    """PostgreSQL refused a statement of an SQL file."""

    def __init__(self, message: str, hint: str | None) -> None:
        """Say what was refused and where, with PostgreSQL's own hint."""
        super().__init__(message)
        self.hint = hint


def load(connection: sa.Connection, root: Path) -> None:
    """Load all of `sql/` into a database that has nothing of it but the roles; the caller commits.

    Raises SqlFileFailed naming file and line.
    """
    run_text(connection, _LOADING)
    for path in source.Source(root).everything():
        run_file(connection, path)


def up(folder: Path) -> None:
    """Apply the revision in this folder to the database of the running migration.

    Raises ValueError when gone.txt names what no earlier revision left.
    """
    here = Folder(folder)
    before = here.routines_before
    for routine in here.gone:
        if routine not in before:
            message = f"{folder.name}/gone.txt ends {routine}, which no earlier revision holds"
            raise ValueError(message)
    ended = [before[routine] for routine in here.gone]
    _emit(_LOADING)
    _drop_around(folder / "up.sql", ended)
    _replace(here.copies.values())
    if here.views:
        _drop_views(set(views_in(here.views_before)) - set(views_in(here.views)))
        _replace_views(here.views)


def down(folder: Path) -> None:
    """Take back the revision in this folder: its steps by down.sql, its routines and views by the copies before it."""
    here = Folder(folder)
    before = here.routines_before
    made = [copy for routine, copy in here.copies.items() if routine not in before or routine in here.gone]
    _emit(_LOADING)
    _drop_views(views_in(here.views))
    _drop_around(folder / "down.sql", made)
    changed = sorted({*here.gone, *here.copies} & before.keys())
    _replace([before[routine] for routine in changed])
    if here.views and here.views_before:
        _replace_views(here.views_before)


def run_file(connection: sa.Connection, path: Path) -> None:
    """Send one file as it is. Raises SqlFileFailed naming file and line."""
    text = path.read_text(encoding="utf-8")
    try:
        run_text(connection, text)
    except sa.exc.DBAPIError as error:
        raise _located(error, path, text) from error


def run_text(connection: sa.Connection, text: str) -> None:
    """Send SQL as it is: several statements, `%` and `:` included, which every other way of SQLAlchemy trips over."""
    connection.exec_driver_sql(text, execution_options={"no_parameters": True})


def _drop_around(steps: Path, copies: list[Path]) -> None:
    """Run a file of steps, and drop the routines of these copies before it where that is possible, else after it."""
    names = _literals(source.routine_in(copy) for copy in copies)
    if names:
        _emit(_DROP.format(names=names, statement=_DROP_WHAT_CAN_GO))
    _emit_file(steps)
    if names:
        _emit(_DROP.format(names=names, statement=_DROP_NOW))


def _replace(copies: Iterable[Path]) -> None:
    """Make these routines, in place of the form that stands."""
    copies = list(copies)
    if names := _literals(source.routine_in(copy) for copy in copies):
        _emit(_BARE.format(names=names))
    for copy in copies:
        _emit_file(copy)


def _drop_views(names: Iterable[str]) -> None:
    for name in sorted(names, reverse=True):
        _emit(f"drop view if exists {name};")


def _replace_views(file: Path) -> None:
    for name in views_in(file):
        _emit(_BARE_VIEW.format(name=name))
    _emit_file(file)


def _literals(names: Iterable[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)


def _emit_file(path: Path) -> None:
    if op.get_context().as_sql:
        _emit(path.read_text(encoding="utf-8"))
    else:
        run_file(op.get_bind(), path)


def _emit(text: str) -> None:
    """Run SQL in the migration, or write it out when Alembic was asked for a script (`--sql`)."""
    if op.get_context().as_sql:
        # Not op.execute: it would read :name as a parameter, double every % and turn tabs into spaces.
        op.get_context().impl.static_output(text)
    else:
        run_text(op.get_bind(), text)


def _located(error: sa.exc.DBAPIError, path: Path, text: str) -> Exception:
    refused = error.orig
    if not isinstance(refused, psycopg.Error) or isinstance(refused, psycopg.OperationalError):
        return error  # a lock held elsewhere says nothing about the file; the migration tries again
    at = refused.diag.statement_position
    line = f":{text[: int(at)].count(chr(10)) + 1}" if at else ""
    message = f"{path.parent.name}/{path.name}{line}: {refused.diag.message_primary or refused}"
    return SqlFileFailed(message, refused.diag.message_hint or refused.diag.message_detail)
