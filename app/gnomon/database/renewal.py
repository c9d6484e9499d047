"""Makes the sessions of a pool anew when the database asks for it.

A PostgreSQL session keeps what it once loaded of a time zone until it ends. After an upgrade of zone data an old session
would go on computing by the old rules, beside new ones that compute by the new. So the retime raises a number first, and
each process that looks at it lets its sessions go: idle ones at once, busy ones when they come back.
"""

import asyncio
from datetime import timedelta
from typing import Final

import psycopg

from gnomon.database.call import one
from gnomon.database.pool import Pool
from gnomon.errors import DatabaseUnavailable
from gnomon.log import logger

LOOK_EVERY: Final = timedelta(seconds=2)

_log: Final = logger(__name__)


class Renewal:
    """What one pool knows of the number."""

    def __init__(self, pool: Pool) -> None:
        """Take the number as it is at the first look."""
        self._pool = pool
        self._seen: int | None = None

    async def look(self) -> timedelta:
        """Look once, and make the sessions anew when the number changed; how long until the next look.

        Raises DatabaseUnavailable, and psycopg's error where the schema is older.
        """
        found = int((await one(self._pool, "select gnomon.session_generation() as generation"))["generation"])
        seen, self._seen = self._seen, found
        if seen is not None and seen != found:
            _log.info("sessions are made anew", generation=found)
            await self._pool.drain()
        return LOOK_EVERY

    async def go_on_looking(self) -> None:
        """Look until cancelled, whatever happens to the database meanwhile."""
        while True:
            try:
                wait = await self.look()
            except (DatabaseUnavailable, psycopg.Error):
                wait = LOOK_EVERY  # callers of the pool report an outage; an older schema has no such number
            await asyncio.sleep(wait.total_seconds())
