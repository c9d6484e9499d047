"""What a revision does with the files of its folder, and how `sql/` is loaded whole.

A revision reads its own folder only, so that history replays exactly whatever `sql/` says today:

    0007_expand_claim_by_shard/
      revision.py          names itself and the one before it; calls up and down
      up.sql down.sql      steps on schemas, types and tables
      gone.txt             routines that end here, as <room>/<routine>.sql, one a line
      routines/<room>/     the routines that are new or changed, copied from sql/
      views.sql            the views that are new or changed

Going down, a routine that this revision changed or ended gets back the newest copy that an earlier revision holds.
"""

from pathlib import Path

import psycopg
import sqlalchemy as sa
from alembic import op

from gnomon.database import source

#: Bodies may name what a later file makes; the tests check them by calling them.
_LOADING = "set local check_function_bodies = off;"


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
    """Apply the revision in this folder to the database of the running migration."""
    _emit(_LOADING)
    _emit_file(folder / "up.sql")
    for routine in _gone(folder):
        copy = _newest_before(folder, routine)
        if copy is None:
            message = f"{folder.name}/gone.txt ends {routine}, which no earlier revision holds"
            raise ValueError(message)
        _emit(f"drop routine {source.routine_in(copy)};")
    for routine in _frozen(folder):
        _emit_file(folder / routine)
    if (folder / "views.sql").exists():
        _emit_file(folder / "views.sql")


def down(folder: Path) -> None:
    """Take back the revision in this folder. What is new in it, and its views, down.sql drops or restores."""
    _emit(_LOADING)
    _emit_file(folder / "down.sql")
    for routine in [*_gone(folder), *_frozen(folder)]:
        copy = _newest_before(folder, routine)
        if copy is not None:
            _emit_file(copy)


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


def _frozen(folder: Path) -> list[Path]:
    """The routine copies a revision holds, relative to its folder."""
    return [path.relative_to(folder) for path in sorted((folder / "routines").rglob("*.sql"))]


def _gone(folder: Path) -> list[Path]:
    """The routines a revision ends, written like the copies it holds."""
    listed = folder / "gone.txt"
    names = listed.read_text(encoding="utf-8").split() if listed.exists() else []
    return [Path("routines", name) for name in names]


def _newest_before(folder: Path, routine: Path) -> Path | None:
    """The newest copy of a routine in the revisions before this one; their folders sort as they follow each other."""
    earlier = sorted((other for other in folder.parent.iterdir() if other.name < folder.name), reverse=True)
    return next((copy for other in earlier if (copy := other / routine).exists()), None)
