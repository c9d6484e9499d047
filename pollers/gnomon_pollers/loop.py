"""Steps that repeat until the process is asked to end: each with its own pace, each on its own.

A step does one round and says how long to wait for the next. One that fails waits a little longer each time and disturbs
no other. An outage of the database, which all of them meet, is reported once when it begins and once when it is over.
"""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Final, TypeAlias

from gnomon.errors import Contended, DatabaseUnavailable
from gnomon.log import logger
from gnomon_pollers.claims import steady
from gnomon_pollers.metrics import Metrics
from gnomon_pollers.pace import Backoff
from gnomon_pollers.stop import Stop
from gnomon_pollers.wake import Wake

Step: TypeAlias = Callable[[], Awaitable[timedelta]]
"""One round; how long to wait for the next."""

_SAID_AGAIN_AFTER: Final = timedelta(minutes=1)
"""How often the same failure of the same step is written to the log."""

# No such schema, function or table: nobody has migrated yet, or an older version did.
_NO_SCHEMA: Final = frozenset({"3F000", "42883", "42P01"})

_log: Final = logger(__name__)


class Outage:
    """What this process knows of the database being away."""

    def __init__(self) -> None:
        """Begin with the database in reach."""
        self._since: timedelta | None = None

    def began(self, fault: DatabaseUnavailable) -> None:
        """Say that the database is away, once."""
        if self._since is None and not isinstance(fault, Contended):
            self._since = steady()
            _log.warning("the database is away", reason=str(fault))

    def ended(self) -> None:
        """Say that it is back."""
        if self._since is not None:
            _log.warning("the database is back", after_s=round((steady() - self._since).total_seconds(), 3))
            self._since = None


class Loop:
    """Repeats steps until the end is asked for."""

    def __init__(self, stop: Stop, metrics: Metrics) -> None:
        """Share the end and the counters of the process."""
        self._stop = stop
        self._metrics = metrics
        self.outage = Outage()
        self._said: dict[str, timedelta] = {}

    async def repeat(self, name: str, step: Step, wake: Wake) -> None:
        """Take the step again and again; `wake` cuts the waits short."""
        backoff = Backoff()
        while not self._stop.is_asked:
            try:
                wait = await step()
            except Exception as fault:  # noqa: BLE001  # a step that fails, for whatever reason, is taken again
                self.failed(name, fault)
                wait = backoff.next_pause()
                # A hint must not turn a failing step into a spinning one.
                await self._pause(wait)
                continue
            if backoff.succeeded():
                self.outage.ended()
            await wake.sleep(wait)

    def failed(self, name: str, fault: Exception) -> None:
        """Count and report a failure; the same step is reported once a minute."""
        self._metrics.failed(name)
        if isinstance(fault, DatabaseUnavailable):
            self.outage.began(fault)
            return
        if getattr(fault, "sqlstate", None) in _NO_SCHEMA:
            name, reason = "migrate", str(fault).partition("\n")[0]
            if self._may_say(name):
                _log.error("the database lacks what this version calls; run gnomon migrate", reason=reason)
            return
        if self._may_say(name):
            _log.error("a step failed", step=name, exc_info=fault)

    def _may_say(self, name: str) -> bool:
        if steady() - self._said.get(name, -_SAID_AGAIN_AFTER) >= _SAID_AGAIN_AFTER:
            self._said[name] = steady()
            return True
        return False

    async def _pause(self, duration: timedelta) -> None:
        try:
            async with asyncio.timeout(duration.total_seconds()):
                await self._stop.wait()
        except TimeoutError:
            return
