"""Brings a database to a revision, from a program: what `gnomon migrate`, `gnomon up` and the tests call.

Alembic does the walking; `migrations/env.py` hands over to `environment`, which holds the lock and the patience.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from threading import Lock

import psycopg
import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from alembic.util import CommandError

from gnomon.database.environment import LOCK_TIMEOUT, PATIENCE, Run, connector, silent
from gnomon.files import migrations_folder

#: Alembic keeps what it works on in globals: one migration a process at a time.
_ALEMBIC = Lock()


class RevisionUnknown(RuntimeError):
    """The database or the command names a revision that this version does not have."""

    hint = "A newer version may have migrated this database; use that version. Nothing was changed."


@dataclass(frozen=True)
class Migrated:
    """What a migration did: the revisions it stepped over, in order (none when there was nothing to do)."""

    revision: str
    """Where the database stands now: "base" when nothing of Gnomon is left."""
    applied: tuple[str, ...]


def upgrade(
    url: str,
    revision: str = "head",
    *,
    report: Callable[[str], None] = silent,
    lock_timeout: timedelta = LOCK_TIMEOUT,
    patience: timedelta = PATIENCE,
) -> Migrated:
    """Bring the database at this libpq address up to a revision; safe to repeat and to run many times at once.

    report gets a line for each step and each wait. lock_timeout is how long one statement waits for a lock, patience
    how long the whole is tried again. Raises RevisionUnknown, ServerTooOld, RolesMissing, DatabaseBusy, SqlFileFailed,
    and psycopg's errors when the server cannot be reached or refuses.
    """
    return _walk(command.upgrade, Run(connector(url), report, lock_timeout, patience), revision)


def downgrade(url: str, revision: str = "base", *, report: Callable[[str], None] = silent) -> Migrated:
    """Take revisions back; "base" drops all of Gnomon and its data, but not the roles. Raises as upgrade does."""
    return _walk(command.downgrade, Run(connector(url), report), revision)


def head_revision() -> str:
    """The newest revision of this version."""
    newest = ScriptDirectory.from_config(_config()).get_current_head()
    if newest is None:
        message = "no revision found in the migrations folder"
        raise RevisionUnknown(message)
    return newest


def options(migrations: Path | None = None) -> dict[str, str]:
    """Alembic's main options, the same for this module, for the file that `gnomon alembic-ini` writes and for a freeze."""
    folder = str(migrations or migrations_folder())
    return {
        "script_location": folder,
        "version_locations": f"{folder}/versions",
        "path_separator": "newline",
        "recursive_version_locations": "true",
    }


def _walk(walk: Callable[[Config, str], None], run: Run, revision: str) -> Migrated:
    config = _config()
    config.attributes["run"] = run
    try:
        with _ALEMBIC:
            walk(config, revision)
    except CommandError as error:
        raise RevisionUnknown(str(error)) from error
    except sa.exc.DBAPIError as error:
        if isinstance(error.orig, psycopg.Error):
            raise error.orig from error  # PostgreSQL's words, without SQLAlchemy's around them
        raise
    return Migrated(run.stands_at or "base", tuple(run.applied))


def _config() -> Config:
    config = Config()
    for name, value in options().items():
        config.set_main_option(name, value.replace("%", "%%"))
    return config
