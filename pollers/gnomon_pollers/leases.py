"""Which shards this process looks after in one role.

One heartbeat a second keeps the leases and asks for a fair share; the database decides. Leases only avoid contention: two
processes that both believe in one disturb each other, and SKIP LOCKED and claim_id keep everything right.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final
from uuid import uuid4

from gnomon.database.pool import Pool
from gnomon.log import logger
from gnomon_pollers.calls import processes
from gnomon_pollers.claims import steady

BEAT_EVERY: Final = timedelta(seconds=1)

ALIVE_FOR: Final = timedelta(seconds=3)
"""So long after a heartbeat others leave our shards alone."""

_log: Final = logger(__name__)


def delivery_group(lanes: Sequence[str], channels: Sequence[str] | None) -> str:
    """The lease group of workers that do the same work: those of other lanes or channels share nothing with them."""
    return "/".join(["delivery", ",".join(lanes), ",".join(sorted(channels)) if channels else "all"])


class Leases:
    """The shards of one role in this process, as of the last heartbeat."""

    def __init__(self, pool: Pool, lease_group: str, process_name: str) -> None:
        """Begin with none, under an identity that no other process ever has."""
        self._pool = pool
        self._group = lease_group
        self._process_name = process_name
        self._owner = uuid4()
        self._shards: tuple[int, ...] = ()
        self._gained: set[int] = set()
        self._beat_at: timedelta | None = None

    async def beat(self) -> timedelta:
        """Send a heartbeat; how long until the next one."""
        asked_at = steady()
        held = await processes.beat(self._pool, self._owner, self._group, self._process_name)
        shards = tuple(sorted(beat.shard for beat in held))
        if shards != self._shards:
            _log.info("shards", group=self._group, count=len(shards), before=len(self._shards))
        # A silence of ours that others may have used makes every shard a new one.
        was_alive = self._beat_at is not None and asked_at - self._beat_at < ALIVE_FOR
        self._gained |= {beat.shard for beat in held if beat.is_new} if was_alive else set(shards)
        self._gained &= set(shards)
        self._shards, self._beat_at = shards, asked_at
        return max(timedelta(), asked_at + BEAT_EVERY - steady())

    @property
    def held(self) -> tuple[int, ...]:
        """The shards to look after now; none when the last heartbeat is too long ago."""
        if self._beat_at is None or steady() - self._beat_at >= ALIVE_FOR:
            return ()
        return self._shards

    def take_gained(self) -> set[int]:
        """The shards that were gained since this was asked last."""
        gained, self._gained = self._gained, set()
        return gained

    async def leave(self) -> None:
        """Give up all shards at once, so that nobody waits for our silence."""
        self._shards = ()
        if self._beat_at is None:
            return  # no heartbeat of ours ever arrived
        await processes.leave(self._pool, self._owner)
