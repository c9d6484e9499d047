"""/healthz, /readyz and /metrics of a poller or worker, on an address of its own.

Ready means: the database answers, and its clock and this machine's differ by at most 100 ms. Nothing is decided by the
clock here; a large difference says that something on this machine is wrong.
"""

import asyncio
import time
from datetime import UTC, datetime, timedelta
from typing import Final

from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST

from gnomon.database.pool import Pool
from gnomon.errors import DatabaseUnavailable
from gnomon_pollers.calls import processes
from gnomon_pollers.metrics import Metrics

GREATEST_SKEW: Final = timedelta(milliseconds=100)

_PATIENCE: Final = timedelta(seconds=2)


def skew_of(database_utc: datetime, before: float, after: float) -> timedelta:
    """How far this machine's clock is ahead of the database's, read half-way between two readings of ours in seconds."""
    return datetime.fromtimestamp((before + after) / 2, UTC) - database_utc


class Health:
    """The HTTP server of one process."""

    def __init__(self, pool: Pool, metrics: Metrics) -> None:
        """Serve nothing yet."""
        self._pool = pool
        self._metrics = metrics
        self._runner: web.AppRunner | None = None

    async def start(self, host: str, port: int) -> None:
        """Serve; raises OSError when the address cannot be had."""
        app = web.Application()
        app.add_routes(
            [web.get("/healthz", self._live), web.get("/readyz", self._ready), web.get("/metrics", self._numbers)]
        )
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
        await self._runner.setup()
        await web.TCPSite(self._runner, host, port).start()

    async def stop(self) -> None:
        """Serve no more."""
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def _live(self, _request: web.Request) -> web.Response:
        return web.json_response({"status": "live"})

    async def _ready(self, _request: web.Request) -> web.Response:
        # The wall clock of this machine is what is judged here, so it is read here and nowhere else.
        before = time.time()
        try:
            async with asyncio.timeout(_PATIENCE.total_seconds()):
                database_utc = await processes.clock_utc(self._pool)
        except (DatabaseUnavailable, TimeoutError):
            return web.json_response({"status": "not ready", "reason": "the database does not answer"}, status=503)
        skew = skew_of(database_utc, before, time.time())
        answer = {"clock_skew_ms": round(skew / timedelta(milliseconds=1), 1)}
        if abs(skew) > GREATEST_SKEW:
            reason = "the clocks of this machine and of the database differ by more than 100 ms"
            return web.json_response({"status": "not ready", "reason": reason, **answer}, status=503)
        return web.json_response({"status": "ready", **answer})

    async def _numbers(self, _request: web.Request) -> web.Response:
        return web.Response(body=self._metrics.text(), headers={"content-type": CONTENT_TYPE_LATEST})
