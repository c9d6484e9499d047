"""Hears the database's hints: one connection for LISTEN, apart from the pool.

A hint only shortens a sleep; whoever sleeps looks for himself soon enough without one. So this never fails: it
reconnects, and it probes itself, because a connection may look healthy and hear nothing. Behind a transaction pooler
LISTEN lands on a server connection that the next transaction does not have.
"""

import asyncio
import logging
import secrets
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from datetime import timedelta
from typing import Final, NamedTuple

import psycopg
from psycopg import sql

from gnomon.database.backoff import full_jitter
from gnomon.database.connecting import options

_FIRST_PAUSE: Final = timedelta(milliseconds=100)
_LONGEST_PAUSE: Final = timedelta(seconds=5)

_log = logging.getLogger(__name__)


class Hint(NamedTuple):
    """One notification."""

    channel: str
    payload: str


class _Deaf(Exception):
    """The connection did not hear its own probe; a transaction pooler on the way would do that."""


class Listener:
    """Hints of some channels, for as long as somebody iterates `hints()`."""

    def __init__(
        self,
        url: str,
        channels: Sequence[str],
        *,
        application_name: str,
        probe_every: timedelta = timedelta(seconds=10),
    ) -> None:
        """Remember where to listen; a probe that is not heard before the next is due means a new connection."""
        self._url = url
        self._options = options(url, application_name=application_name)
        self._probe_every = probe_every.total_seconds()
        # A channel of its own: the probes of others would only wake this process.
        self._probe = f"gnomon_probe_{secrets.token_hex(8)}"
        self._channels = (*channels, self._probe)
        self.is_hearing = False
        """Whether this connection has heard a probe and not missed one since."""

    async def hints(self) -> AsyncGenerator[Hint]:
        """Hints as they come, without end; those sent while there was no connection are lost.

        Close it (contextlib.aclosing) to give the connection up at once.
        """
        attempt = 0
        while True:
            try:
                async with aclosing(self._hints()) as heard:
                    async for hint in heard:
                        yield hint
            except (psycopg.Error, TimeoutError, _Deaf) as error:
                attempt = 0 if self.is_hearing else attempt + 1
                # The first line says that it began; the outage itself the callers of the pool report.
                _log.log(logging.WARNING if attempt <= 1 else logging.DEBUG, "hints are lost: %s", error)
            finally:
                self.is_hearing = False
            await asyncio.sleep(full_jitter(attempt, base=_FIRST_PAUSE, ceiling=_LONGEST_PAUSE).total_seconds())

    async def _hints(self) -> AsyncGenerator[Hint]:
        """Hints of one connection, until it breaks."""
        connect = psycopg.AsyncConnection.connect(self._url, autocommit=True, **self._options)
        async with await connect as connection:
            for channel in self._channels:
                await connection.execute(sql.SQL("listen {}").format(sql.Identifier(channel)))
            while True:
                async with asyncio.timeout(self._probe_every):
                    await connection.execute("select pg_notify(%s, '')", (self._probe,))
                is_heard = False
                # Always to its end: leaving it early would drop the hints that came in the same packet.
                async for notify in connection.notifies(timeout=self._probe_every):
                    if notify.channel == self._probe:
                        self.is_hearing = is_heard = True
                    else:
                        yield Hint(notify.channel, notify.payload)
                if not is_heard:
                    raise _Deaf(_Deaf.__doc__)
