"""The SQL functions that count deliveries, one typed function each, under the same name."""

from collections.abc import Sequence

import msgspec

from gnomon.database.call import rows
from gnomon.database.pool import Pool
from gnomon.deliveries.shapes import LaneNumbers


class Lateness(msgspec.Struct, frozen=True, kw_only=True):
    """One bucket of a lane's histogram: deliveries at most `le` seconds late, and the sum of the lane's seconds."""

    lane: str
    le: float
    count: int
    sum_seconds: float


class QueueNumber(msgspec.Struct, frozen=True, kw_only=True):
    """One number about what waits; lane is None for what has no lane."""

    name: str
    lane: str | None
    value: float


async def lateness(pool: Pool) -> Sequence[Lateness]:
    """First hand-over minus due instant of today's deliveries, as a histogram a lane."""
    return await rows(pool, "select * from gnomon.lateness()", shape=Lateness)


async def queue_numbers(pool: Pool) -> Sequence[QueueNumber]:
    """What waits and what is on its way, by lane."""
    return await rows(pool, "select * from gnomon.queue_numbers()", shape=QueueNumber)


async def lane_numbers(pool: Pool) -> Sequence[LaneNumbers]:
    """The queue of each lane and channel that was ever used, the most urgent lane first."""
    return await rows(pool, "select * from gnomon.lane_numbers()", shape=LaneNumbers)
