"""The clock of a test: replaces gnomon_data.now_utc, the only clock that SQL reads.

    set_clock(connection, at, frozen=True)     stands still at an instant
    set_clock(connection, at, frozen=False)    shows that instant now and runs on from there
    advance(connection, by)                    moves either of them
    set_clock(connection, None)                the real one again

The function is replaced in the test's own database, so every process that uses it sees the same time.
"""

from datetime import UTC, datetime, timedelta
from typing import Final

import psycopg

from tests.support.given import value

_REPLACE: Final = """
create or replace function gnomon_data.now_utc() returns timestamptz
language sql volatile parallel safe
as $clock$ select {} $clock$
"""
_REAL: Final = "clock_timestamp()"


def set_clock(connection: psycopg.Connection, at: datetime | None, *, frozen: bool = True) -> None:
    """Set the clock to an aware instant; None gives the real one back."""
    if at is None:
        _replace(connection, _REAL)
    elif frozen:
        _replace(connection, f"timestamptz '{_text(at)}'")
    else:
        ahead = value(connection, "select %s - clock_timestamp()", at)
        _replace(connection, f"{_REAL} + make_interval(secs => {ahead.total_seconds():.6f})")


def advance(connection: psycopg.Connection, by: timedelta) -> datetime:
    """Move the clock of the test on and return what it shows then."""
    body = str(value(connection, "select prosrc from pg_proc where oid = 'gnomon_data.now_utc'::regproc")).strip()
    shown = body.removeprefix("select ")
    _replace(connection, f"{shown} + make_interval(secs => {by.total_seconds():.6f})")
    return clock(connection)


def clock(connection: psycopg.Connection) -> datetime:
    """What the clock shows."""
    return value(connection, "select gnomon_data.now_utc()").astimezone(UTC)


def _replace(connection: psycopg.Connection, expression: str) -> None:
    # A parameter cannot stand in a function's body; the expression is made of literals of this module.
    connection.execute(_REPLACE.format(expression))


def _text(at: datetime) -> str:
    if at.tzinfo is None:
        message = f"{at} says no zone"
        raise ValueError(message)
    return at.astimezone(UTC).isoformat()
