"""Runs revisions online or writes them out: what migrations/env.py does, for `gnomon migrate` and for Alembic alike.

Everything happens in one transaction, under an advisory lock, with a short lock_timeout:

* one transaction, so that a migration that fails in the middle leaves the database as it was;
* the lock, so that twenty pods may migrate at once: one works, the others wait and then find nothing left to do. It
  ends with the transaction, so it also works behind a pooler and never outlives its holder;
* lock_timeout, because a statement that waits for a table's lock blocks everybody who comes after it. Waiting is done
  outside instead: everything is rolled back and tried again after a random pause, until the patience is used up.
"""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from itertools import count
from typing import Any, Final, cast

import psycopg
import sqlalchemy as sa
from alembic import context
from alembic.runtime.migration import MigrationInfo
from alembic.util import CommandError

from gnomon.database import roles
from gnomon.database.backoff import full_jitter
from gnomon.database.connecting import options
from gnomon.database.version import refuse_old
from gnomon.settings import read_settings

#: Key of the advisory lock: "gnomon" as bytes. Any constant does, as long as every version uses the same.
LOCK_KEY: Final = int.from_bytes(b"gnomon", "big")

#: How long one statement waits for a lock, and everybody behind it with it.
LOCK_TIMEOUT: Final = timedelta(seconds=3)

#: How long the whole is tried again before it gives up.
PATIENCE: Final = timedelta(minutes=10)

#: Held elsewhere: a lock not had in time, or a deadlock with somebody who was chosen to go on.
_LATER: Final = ("55P03", "40P01")

_PRIVATE_SCHEMA: Final = "create schema if not exists gnomon_data;"

_FIRST_PAUSE: Final = timedelta(milliseconds=200)
_LONGEST_PAUSE: Final = timedelta(seconds=5)

#: Seed rows (time zones, slices, the first periods). Repeated at every migration: it adds what is missing.
INSTALL: Final = """
do $$ begin
    if to_regprocedure('gnomon_data.install()') is not null then perform gnomon_data.install(); end if;
end $$;
"""


class DatabaseBusy(RuntimeError):
    """Locks held by others did not let the migration through; nothing was changed."""

    hint = "Look for long transactions in pg_stat_activity, then migrate again."


def connector(url: str) -> Callable[[], psycopg.Connection]:
    """How migrations connect: libpq reads the address, so that every form it knows works (sockets, several hosts)."""
    return partial(psycopg.connect, url, **options(url, application_name="gnomon migrate"))


def silent(_line: str) -> None:
    """Report nothing."""


@dataclass
class Run:
    """How a migration connects and waits, and what it did."""

    connect: Callable[[], psycopg.Connection]
    report: Callable[[str], None] = silent
    lock_timeout: timedelta = LOCK_TIMEOUT
    patience: timedelta = PATIENCE
    applied: list[str] = field(default_factory=list)
    """Revisions stepped over, up or down, by the attempt that succeeded."""
    waits_for: str = "locks that others hold"
    """What an attempt that runs into lock_timeout was waiting for."""
    stands_at: str | None = None
    """The revision the database is at in the end; None: nothing of Gnomon is in it."""


def enter() -> None:
    """What env.py calls: online or offline, with the caller's Run or, under Alembic's own command, one by settings.

    Raises what online raises, under Alembic's own command as its CommandError.
    """
    run = context.config.attributes.get("run")
    if isinstance(run, Run):
        online(run)
    elif context.is_offline_mode():
        offline()
    else:
        _online_by_settings()


def online(run: Run) -> None:
    """Do what Alembic was asked for.

    Raises ServerTooOld, RolesMissing, DatabaseBusy, SqlFileFailed.
    """
    engine = sa.create_engine("postgresql+psycopg://", creator=run.connect, poolclass=sa.NullPool)
    with engine.begin() as connection:
        refuse_old(cast("psycopg.Connection", connection.connection.driver_connection))
        _configure(connection=connection)
        if context.get_context().opts.get("dont_mutate"):  # `alembic current`
            context.run_migrations()
            return
    deadline = time.monotonic() + run.patience.total_seconds()
    for attempt in count():
        try:
            _change(run, engine)
        except sa.exc.DBAPIError as error:
            if not isinstance(error.orig, psycopg.Error) or error.orig.sqlstate not in _LATER:
                raise
            if time.monotonic() > deadline:
                raise DatabaseBusy(DatabaseBusy.__doc__) from error
            run.report(f"waiting for {run.waits_for}")
            time.sleep(full_jitter(attempt, base=_FIRST_PAUSE, ceiling=_LONGEST_PAUSE).total_seconds())
        else:
            return


def offline() -> None:
    """Write the SQL of the revisions to Alembic's output instead of running it."""
    _configure(dialect_name="postgresql")
    with context.begin_transaction():
        write = context.get_context().impl.static_output
        write(_PRIVATE_SCHEMA)
        write(roles.script())
        context.run_migrations()
        write(INSTALL)


def _change(run: Run, engine: sa.Engine) -> None:
    """One attempt, all or nothing."""
    with engine.begin() as connection:
        # In a transaction of its own: others who make the same roles wait for it, and it should not last.
        _limit_waiting(connection, run)
        roles.ensure(connection)
    with engine.begin() as connection:
        _limit_waiting(connection, run)
        run.waits_for = "another migration of this database"
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(LOCK_KEY)))
        run.waits_for = "locks that others hold"
        connection.exec_driver_sql(_PRIVATE_SCHEMA)
        run.applied.clear()

        def note(*, step: MigrationInfo, **_: object) -> None:
            run.applied.append(str(step.up_revision_id))
            run.report(f"{'applied' if step.is_upgrade else 'taken back'}: {step.up_revision_id}")

        _configure(connection=connection, on_version_apply=note)
        context.run_migrations()
        connection.exec_driver_sql(INSTALL)
        run.stands_at = context.get_context().get_current_revision()


def _configure(**options: Any) -> None:  # noqa: ANN401  # Alembic's own
    context.configure(version_table_schema="gnomon_data", **options)


def _online_by_settings() -> None:
    """Under Alembic's own command: the database is the one of the settings, and errors are told in its way."""
    url = read_settings().database_url
    if url is None:
        raise CommandError("Nothing says which database to migrate: set GNOMON_DATABASE_URL.")
    try:
        online(Run(connector(url), report=partial(print, file=sys.stderr)))
    except sa.exc.DBAPIError as error:
        raise CommandError(str(error.orig).strip()) from error
    except RuntimeError as error:
        raise CommandError(f"{error}\n{getattr(error, 'hint', '')}") from error


def _limit_waiting(connection: sa.Connection, run: Run) -> None:
    milliseconds = round(run.lock_timeout.total_seconds() * 1000)
    connection.exec_driver_sql(f"set local lock_timeout = {milliseconds}")
