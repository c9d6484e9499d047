"""The upkeep role: what keeps the tables in shape. One process at a time has it, the holder of the lease.

Each task has its own pace and fails alone; none of them is needed for a notification to be sent in time, except that
periods must exist when they are written to, which is why they are made days ahead and the far table takes the rest.
"""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Final

from gnomon.database.pool import Pool
from gnomon.log import logger
from gnomon_pollers.alarms import Alarms
from gnomon_pollers.calls import upkeep
from gnomon_pollers.claims import steady
from gnomon_pollers.leases import Leases
from gnomon_pollers.loop import Step
from gnomon_pollers.periods import Periods

GROUP: Final = "upkeep"

BATCH: Final = 500
"""Rows that one call of a task moves or removes."""

_SWEPT: Final = 500
"""Schedules that one call of the sweep decides: their locks are held so long, and fires set them back meanwhile."""

_SWEEP_FOR: Final = timedelta(seconds=1)

_MINUTE: Final = timedelta(minutes=1)
_HOUR: Final = timedelta(hours=1)

_WITHOUT_LEASE: Final = timedelta(seconds=1)
"""How often a process without the lease asks whether it has it."""

_CATCH_UP: Final = timedelta(minutes=5)
"""Before overdue schedules are reported first: after a stop of all pollers there are some, and they are being fired."""

_SHOWN: Final = 20

_log: Final = logger(__name__)


class UpkeepRole:
    """The tasks of upkeep, as steps that do nothing without the lease."""

    def __init__(self, pool: Pool, leases: Leases) -> None:
        """Work on this pool; a detach keeps one of its connections busy for as long as it waits."""
        self._pool = pool
        self._leases = leases
        self._periods = Periods(pool)
        self._alarms = Alarms(pool)

    def steps(self) -> dict[str, Step]:
        """Every task by its name."""
        return {
            "make periods": self._every(_MINUTE, self.make_periods),
            "move far": self._every(timedelta(seconds=10), self.move_far),
            "forget keys": self._every(_MINUTE, self.forget_keys),
            "forget payloads": self._every(_MINUTE, self.forget_payloads),
            "forget set aside": self._every(_MINUTE, self.forget_set_aside),
            "release parked": self._every(timedelta(seconds=2), self.release_parked),
            "sweep operations": self._every(_SWEEP_FOR, self.sweep_operations),
            "take periods away": self._every(_MINUTE, self._periods.take_away),
            "report overdue": self._every(_HOUR, self.report_overdue, first_after=_CATCH_UP),
            "analyze parents": self._every(_HOUR, self._periods.analyze_parents),
            "balance ledger": self._every(_MINUTE, self.balance_ledger),
            "fold lateness": self._every(timedelta(seconds=15), self.fold_lateness),
            "watch horizon": self._every(_MINUTE, self._alarms.watch_horizon),
            "look at zone data": self._every(timedelta(minutes=10), self.look_at_zone_data),
        }

    async def make_periods(self) -> None:
        """Make the partitions of the next days."""
        try:
            if made_count := await upkeep.make_periods(self._pool):
                _log.info("periods made", count=made_count)
        finally:
            # Also when they could not be made, above all then.
            await self._alarms.watch_periods()

    async def move_far(self) -> None:
        """Move far timers near until none is left that belongs there."""
        await _until_none_left(lambda: upkeep.move_far(self._pool, BATCH))

    async def forget_keys(self) -> None:
        """Remove keys that need no longer be remembered."""
        await _until_none_left(lambda: upkeep.forget_keys(self._pool, BATCH))

    async def forget_payloads(self) -> None:
        """Remove long params that nothing points to any more."""
        await _until_none_left(lambda: upkeep.forget_payloads(self._pool, BATCH))

    async def forget_set_aside(self) -> None:
        """Remove notes of what was set aside and has been cancelled or changed since."""
        await _until_none_left(lambda: upkeep.forget_set_aside(self._pool, BATCH))

    async def release_parked(self) -> None:
        """Release deliveries whose release was missed, because somebody held them at that moment."""
        if released_count := await upkeep.release_parked(self._pool, BATCH):
            _log.info("parked deliveries released", count=released_count)

    async def sweep_operations(self) -> None:
        """Really do what mass operations mean, for half of the time at most: nothing of it fires meanwhile."""
        began = steady()
        while steady() - began < _SWEEP_FOR and await upkeep.sweep_operations(self._pool, _SWEPT):
            pass

    async def report_overdue(self) -> None:
        """Report live schedules whose instant has passed: there should be none."""
        if overdue := await upkeep.overdue_schedules(self._pool, BATCH):
            _log.warning("schedules are overdue", count=len(overdue), schedule_ids=overdue[:_SHOWN])

    async def balance_ledger(self) -> None:
        """Balance the next shard of the ledger."""
        shard, missing_count = await upkeep.balance_ledger(self._pool)
        if missing_count:
            _log.error("the ledger is off; gnomon doctor names what is missing", shard=shard, missing_count=missing_count)

    async def fold_lateness(self) -> None:
        """Count how late what was settled lately was handed over."""
        await upkeep.fold_lateness(self._pool)

    async def look_at_zone_data(self) -> None:
        """Let the fingerprints of zones go on with the clock, and say when the rules of some have changed."""
        if changed_count := await upkeep.renew_fingerprints(self._pool):
            _log.warning("zone data changed; gnomon retime shows what moves", zones=changed_count)

    def _every(self, interval: timedelta, task: Callable[[], Awaitable[None]], first_after: timedelta = timedelta()) -> Step:
        held_since: timedelta | None = None

        async def step() -> timedelta:
            nonlocal held_since
            if not self._leases.held:
                held_since = None
                return _WITHOUT_LEASE
            held_since = held_since or steady()
            if steady() - held_since < first_after:
                return _WITHOUT_LEASE
            await task()
            return interval

        return step


async def _until_none_left(move: Callable[[], Awaitable[int]]) -> None:
    """Half of the time at most: what waits for upkeep has no hurry, and what fires has."""
    while True:
        began = steady()
        if await move() < BATCH:
            return
        await asyncio.sleep((steady() - began).total_seconds())
