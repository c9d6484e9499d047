"""Calls of SQL functions: one statement, one transaction, one round trip, and the database's errors as ours.

SQLSTATE GNxxx            -> the class of errors.py
connection lost, server away or full, no connection in time
                          -> DatabaseUnavailable: it may have been done, or not
deadlock, serialization, lock or statement timeout
                          -> tried again a few times where that can help, then Contended: it was not done
insufficient privilege    -> RightMissing: the login lacks a role
a function that is gone   -> tried again too: a migration has replaced what was being called
anything else             -> psycopg's own error: a mistake of ours
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from itertools import count
from typing import Any, Final, TypeAlias, TypeVar, overload

import psycopg
from psycopg.rows import kwargs_row
from psycopg.types.json import Jsonb
from psycopg_pool import PoolClosed, PoolTimeout, TooManyRequests

from gnomon.database.backoff import full_jitter
from gnomon.database.pool import Pool, connection_of
from gnomon.errors import Contended, DatabaseUnavailable, GnomonError, RequestInvalid, RightMissing, error_of

Parameters: TypeAlias = Sequence[Any] | Mapping[str, Any]
Row = TypeVar("Row")

#: Whole transactions, so that doing them again with the same words is what the caller wants.
_COLLIDED: Final = frozenset({"40001", "40P01"})
#: A call that waited for a migration's locks goes on in the body it began with, which names helpers of before.
_REPEATED: Final = _COLLIDED | {"42883"}
_UNDONE: Final = _COLLIDED | {"55P03", "57014"}
_AWAY: Final = ("08", "53", "57P", "25006")
_DENIED: Final = "42501"

_REPEATS: Final = 5
_FIRST_PAUSE: Final = timedelta(milliseconds=10)
_LONGEST_PAUSE: Final = timedelta(milliseconds=200)


#: Rows that are made into what the caller wants before other tasks of the process have their turn.
_AT_ONCE: Final = 250


#: Bytes of JSON behind which a connection is not used again.
_HEAVY: Final = 4 << 20


@overload
async def rows(pool: Pool, sql: str, params: Parameters = ()) -> list[dict[str, Any]]: ...
@overload
async def rows(pool: Pool, sql: str, params: Parameters = (), *, shape: Callable[..., Row]) -> list[Row]: ...
async def rows(pool: Pool, sql: str, params: Parameters = (), *, shape: Callable[..., Any] = dict) -> list[Any]:
    """All rows of one statement, as dicts or as what shape (a dataclass, a msgspec struct) makes of their columns.

    A statement without a result answers no rows. Raises GnomonError, DatabaseUnavailable, Contended.
    """
    for attempt in count():
        try:
            return await _rows(pool, sql, params, shape)
        except psycopg.Error as error:
            if error.sqlstate not in _REPEATED or attempt == _REPEATS:
                raise error_from(error) from error
        await asyncio.sleep(full_jitter(attempt, base=_FIRST_PAUSE, ceiling=_LONGEST_PAUSE).total_seconds())
    raise AssertionError  # count() has no end


@overload
async def first(pool: Pool, sql: str, params: Parameters = ()) -> dict[str, Any] | None: ...
@overload
async def first(pool: Pool, sql: str, params: Parameters = (), *, shape: Callable[..., Row]) -> Row | None: ...
async def first(pool: Pool, sql: str, params: Parameters = (), *, shape: Callable[..., Any] = dict) -> Any | None:
    """The first row, or None when there is none. Raises as rows does."""
    found = await rows(pool, sql, params, shape=shape)
    return found[0] if found else None


@overload
async def one(pool: Pool, sql: str, params: Parameters = ()) -> dict[str, Any]: ...
@overload
async def one(pool: Pool, sql: str, params: Parameters = (), *, shape: Callable[..., Row]) -> Row: ...
async def one(pool: Pool, sql: str, params: Parameters = (), *, shape: Callable[..., Any] = dict) -> Any:
    """The row of a function that always answers one. Raises as rows does."""
    return (await rows(pool, sql, params, shape=shape))[0]


def quoted(*names: str) -> str:
    """The name, in its parts, for a statement that cannot take it as a parameter: `"gnomon_data"."timers"`."""
    return ".".join('"' + name.replace('"', '""') + '"' for name in names)


def json_text(text: bytes) -> Jsonb:
    """JSON text as a parameter, as it is: text of many megabytes is not made into characters and back."""
    return Jsonb(text, dumps=bytes)


def error_from(error: psycopg.Error) -> Exception:
    """Our error for one of psycopg's; psycopg's own when it is none of the contract's."""
    state, diag = error.sqlstate or "", error.diag
    if state.startswith("GN"):
        return error_of(
            state,
            diag.message_primary,
            detail=diag.message_detail,
            hint=diag.message_hint,
            pointer=diag.column_name,
        )
    if state in _UNDONE:
        return Contended(diag.message_primary)
    if state.startswith(_AWAY) or _is_lost(error):
        return DatabaseUnavailable(diag.message_primary or str(error).strip())
    if state == _DENIED:
        return RightMissing(diag.message_primary)
    if _holds_nul(error):
        return RequestInvalid("NUL characters cannot be stored")
    return error


def left_nothing(error: BaseException) -> bool:
    """Whether what raised this was certainly not done: the server refused it, or it never went out.

    Anything else may come after the commit: a connection that broke, a row that could not be read.
    """
    if isinstance(error, psycopg.Error):
        return error.sqlstate is not None and not _is_lost(error)
    return isinstance(error, (GnomonError, Contended))


async def _rows(pool: Pool, statement: str, params: Parameters, shape: Callable[..., Any]) -> list[Any]:
    async with connection_of(pool) as connection, connection.cursor(row_factory=kwargs_row(shape)) as cursor:
        await cursor.execute(statement.encode(), params or None)
        found: list[Any] = []
        while cursor.description and (some := await cursor.fetchmany(_AT_ONCE)):
            found += some
            if len(some) == _AT_ONCE:
                await asyncio.sleep(0)  # thousands of rows take a tenth of a second to read: others have their turn
        if any(isinstance(given, Jsonb) and len(given.obj) > _HEAVY for given in params):
            # Its buffers stay as large as the largest statement was, and every connection has its turn at large ones.
            await connection.close()
        return found


def _is_lost(error: psycopg.Error) -> bool:
    """Errors without a SQLSTATE come from this side: no connection to be had, or one that broke."""
    if isinstance(error, (PoolTimeout, PoolClosed, TooManyRequests)):
        return True
    return error.sqlstate is None and isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError))


def _holds_nul(error: psycopg.Error) -> bool:
    """PostgreSQL stores no NUL: refused here for text, and by the server in jsonb."""
    return error.sqlstate == "22P05" or (
        error.sqlstate is None and isinstance(error, psycopg.DataError) and "NUL" in str(error)
    )
