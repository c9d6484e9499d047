"""Tells pollers of what is due before their next look, after the commit of what it speaks of.

A hint sent inside the transaction would serialise the commits of everybody (NOTIFY holds one lock for the whole server),
so the door sends its own, one at a time: what comes up meanwhile is told by the next one.
"""

import asyncio
import time
from datetime import datetime, timedelta
from typing import Final

from gnomon.database.pool import Pool
from gnomon.errors import DatabaseUnavailable
from gnomon.web import calls

# Pollers look every 100 ms, and fire this much ahead: what is due later they find by themselves in time.
_LOOK: Final = timedelta(milliseconds=100)


class Hints:
    """The hints of one process. They are worth little: a lost one costs at most a poller's sleep."""

    def __init__(self, pool: Pool, fire_ahead: timedelta) -> None:
        """Tell of what is due sooner than fire_ahead and one look from now."""
        self._pool = pool
        self._horizon = (fire_ahead + _LOOK).total_seconds()
        self._earliest: datetime | None = None
        self._sending: asyncio.Task[None] | None = None

    def due(self, at_utc: datetime | None) -> None:
        """Something will fire then; returns at once."""
        if at_utc is None or at_utc.timestamp() > time.time() + self._horizon:
            return
        self._earliest = at_utc if self._earliest is None else min(self._earliest, at_utc)
        if self._sending is None or self._sending.done():
            self._sending = asyncio.create_task(self._send())

    async def _send(self) -> None:
        while self._earliest is not None:
            at_utc, self._earliest = self._earliest, None
            try:
                await calls.notify_due(self._pool, at_utc)
            except DatabaseUnavailable:
                return
