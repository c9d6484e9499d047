"""The connection pool of a process: autocommit, one function call a transaction, itself again soon after an outage.

psycopg's pool alone would be slow to come back. After an outage it doubles its pauses between attempts without end and
lets a caller who meets several dead connections wait seconds for each. Here attempts keep a steady pace, and a
connection is looked at before it is handed out: a healthy idle one has nothing to read, so that costs no round trip.
"""

import logging
import select
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any, Final, TypeAlias

import psycopg
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from gnomon.database.connecting import options

Connection: TypeAlias = psycopg.AsyncConnection[Any]
Pool: TypeAlias = AsyncConnectionPool[Connection]

#: Seconds between attempts while the server is away; the pool tries once at once and once after it, over and over.
_PACE: Final = 0.5

#: How long a call waits for a connection, whether the server is away or all connections are busy.
WAIT: Final = timedelta(seconds=10)

_MILLISECOND: Final = timedelta(milliseconds=1)

#: After so many executions of a statement the server keeps its plan; None for a pooler that cannot keep statements.
PREPARE_THRESHOLD: Final = 5


def open_pool(  # what a pool is; all but the address by name
    url: str,
    *,
    min_size: int,
    max_size: int,
    application_name: str,
    prepare_threshold: int | None = PREPARE_THRESHOLD,
    wait: timedelta = WAIT,
    lock_wait: timedelta | None = None,
) -> Pool:
    """Make a pool on this libpq address, to be entered with `async with`.

    It connects in the background, also when the server is not there yet. wait is how long a call waits for a connection,
    lock_wait how long a statement of it waits for another transaction's lock; None: for as long as that lasts. It is a
    setting of the session, so not for a transaction pooler, which would carry it into sessions of others.
    """

    async def configure(connection: Connection) -> None:
        await _speak_utc(connection)
        if lock_wait is not None:
            await connection.execute(f"set lock_timeout = {round(lock_wait / _MILLISECOND)}".encode())

    # It reports every attempt; whoever calls reports the outage once.
    logging.getLogger("psycopg.pool").setLevel(logging.ERROR)
    return AsyncConnectionPool(
        url,
        kwargs={
            **options(url, application_name=application_name),
            "autocommit": True,
            "prepare_threshold": prepare_threshold,
        },
        min_size=min_size,
        max_size=max_size,
        timeout=wait.total_seconds(),
        name=application_name,
        configure=configure,
        reconnect_timeout=_PACE,
        reconnect_failed=_try_again,
        open=False,
    )


@asynccontextmanager
async def connection_of(pool: Pool) -> AsyncIterator[Connection]:
    """Lend a connection that still works. Raises psycopg_pool.PoolTimeout when none can be had in time."""
    connection = await _working_connection(pool)
    try:
        yield connection
    finally:
        await pool.putconn(connection)


async def _working_connection(pool: Pool) -> Connection:
    deadline = time.monotonic() + pool.timeout
    while (left := deadline - time.monotonic()) > 0:
        connection = await pool.getconn(timeout=left)
        try:
            if not _has_news(connection) or await _answers(connection):
                return connection
            await connection.close()
        except BaseException:  # cancelled while it asked: given back, or the pool would miss it for ever
            await pool.putconn(connection)
            raise
        await pool.putconn(connection)  # closed, so the pool makes another in its place
    raise PoolTimeout


def _has_news(connection: Connection) -> bool:
    """Whether something waits to be read: the end of the connection, or a notice."""
    if connection.closed:
        return True
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    return bool(poll.poll(0))


async def _answers(connection: Connection) -> bool:
    try:
        await connection.execute("")
    except psycopg.Error:
        return False
    return True


async def _speak_utc(connection: Connection) -> None:
    """Instants reach Python in UTC, whatever the server's own zone is."""
    await connection.execute("set timezone = 'UTC'")


async def _try_again(pool: Pool) -> None:
    """An attempt was given up: begin the next one, or nobody would until the next call."""
    await pool.check()
