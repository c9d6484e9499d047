"""What goes wrong in the middle of a demo, on purpose: two processes are killed and the database is restarted.

at the herd     a worker and a poller get SIGKILL, with their hands full
1 s later       others take their places
after that      PostgreSQL is stopped without a word and recovers
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from gnomon.children.child import Child
from gnomon.demo.clocks import Clock
from gnomon.demo.stage import Stage
from gnomon.demo.wishes import Times

REPLACED_AFTER: Final = timedelta(seconds=1)

# After the herd's instant.
_KILL_WORKER: Final = timedelta(milliseconds=40)
_KILL_POLLER: Final = timedelta(milliseconds=300)
# Part of the time between the herd and the end.
_RESTART: Final = 0.6


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that was done."""

    at: timedelta
    """Since the load began."""
    what: str


class Faults:
    """Does it, and keeps what was done."""

    def __init__(self, stage: Stage, times: Times, clock: Clock, say: Callable[[str], None]) -> None:
        """`say` is told each fault as it happens."""
        self.done: list[Fault] = []
        self._stage = stage
        self._times = times
        self._clock = clock
        self._say = say

    @property
    def last_utc(self) -> datetime | None:
        """When the last one was done, None when there was none."""
        return self._times.begin_utc + self.done[-1].at if self.done else None

    async def run(self) -> None:
        """All of them, each in its time."""
        herd = self._times.herd_utc
        restart = herd + (self._times.end_utc - herd) * _RESTART
        async with asyncio.TaskGroup() as faults:
            faults.create_task(self._kill(self._stage.workers[0], herd + _KILL_WORKER))
            faults.create_task(self._kill(self._stage.pollers[0], herd + _KILL_POLLER))
            faults.create_task(self._restart(restart))

    async def _kill(self, child: Child, at_utc: datetime) -> None:
        await self._wait(at_utc)
        pid = child.pid
        await child.kill()
        self._did(f"{child.name} killed (SIGKILL, pid {pid})")
        await asyncio.sleep(REPLACED_AFTER.total_seconds())
        await child.start()
        self._say(f"{child.name} is replaced (pid {child.pid})")

    async def _restart(self, at_utc: datetime) -> None:
        await self._wait(at_utc)
        self._did("PostgreSQL restarted (immediate: no goodbye, then crash recovery)")
        before = self._clock.now_utc()
        await self._stage.restart_database("immediate")
        took = self._clock.now_utc() - before
        self._say(f"PostgreSQL answers again after {took.total_seconds():.2f} s (pid {self._stage.database.pid})")

    async def _wait(self, at_utc: datetime) -> None:
        await asyncio.sleep(max(0.0, (at_utc - self._clock.now_utc()).total_seconds()))

    def _did(self, what: str) -> None:
        self.done.append(Fault(self._clock.now_utc() - self._times.begin_utc, what))
        self._say(what)
