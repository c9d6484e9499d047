"""Safe marks: instants below which nothing is left, proven now and then, and where every sweep begins.

A proof reads the clock and takes an xid, and is complete when every transaction that was open then is over. That may take
as long as somebody keeps one open; until then the sweep begins further back, which costs time and loses nothing.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from gnomon.database.pool import Pool
from gnomon_pollers.bounds import BEGINNING, NIL, Key
from gnomon_pollers.calls import marks
from gnomon_pollers.calls.timers import LaneShard
from gnomon_pollers.claims import steady
from gnomon_pollers.leases import Leases

PROVE_EVERY: Final = timedelta(seconds=10)

_ASK_AGAIN: Final = timedelta(seconds=1)


class Marks:
    """The safe marks of one plane in the shards that this process holds."""

    def __init__(self, pool: Pool, plane: str, leases: Leases) -> None:
        """Plane: timers or deliveries."""
        self._pool = pool
        self._plane = plane
        self._leases = leases
        self._proof: marks.Proof | None = None
        self._begun_at = timedelta()
        self._safe: dict[LaneShard, Key] = {}
        self._safe_shards: Sequence[int] = ()

    async def prove(self) -> timedelta:
        """Begin a proof or try to complete the one that was begun; how long until the next step."""
        shards = self._leases.held
        if not shards:
            return _ASK_AGAIN
        if self._proof is None:
            self._begun_at = steady()
            self._proof = await marks.begin_proof(self._pool)
            return _ASK_AGAIN
        if not await marks.prove_marks(self._pool, self._plane, shards, self._proof):
            return _ASK_AGAIN
        self._proof = None
        self._safe_shards = ()
        return max(_ASK_AGAIN, self._begun_at + PROVE_EVERY - steady())

    async def safe(self, shards: Sequence[int]) -> dict[LaneShard, Key]:
        """Where a sweep of these shards begins, by lane and shard.

        Read anew only when this process moved them: an older mark costs time and loses nothing.
        """
        if shards != self._safe_shards:
            proven = await marks.safe_marks(self._pool, self._plane, shards)
            # What lies at the mark itself may still be there: the bound is exclusive, and the nil id is below every row's.
            self._safe = {place: (at_utc or BEGINNING[0], NIL) for place, at_utc in proven.items()}
            self._safe_shards = shards
        return self._safe
