"""What a process says of itself: its settings, its heartbeat, its leaving; and the clock it asks for."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from gnomon.database.call import one, rows
from gnomon.database.pool import Pool
from gnomon_pollers.calls.durability import NOT_FLUSHED


class Beat(NamedTuple):
    """A shard that a heartbeat confirmed."""

    shard: int
    is_new: bool


async def set_setting(pool: Pool, name: str, value: str) -> None:
    """Tell SQL a setting of this process."""
    await rows(pool, "select gnomon.set_setting(%s, %s)", [name, value])


async def clock_utc(pool: Pool) -> datetime:
    """The database's clock."""
    at_utc: datetime = (await one(pool, "select gnomon.clock_utc() as at_utc"))["at_utc"]
    return at_utc


async def beat(pool: Pool, owner: UUID, lease_group: str, process_name: str) -> list[Beat]:
    """Say that the owner lives; the shards it holds now.

    A heartbeat that waited for a slow disk would be late itself, and its owner taken for dead.
    """
    query = f"select shard, is_new from gnomon.beat(%s, %s, %s), {NOT_FLUSHED}"  # noqa: S608  # ours
    return await rows(pool, query, [owner, lease_group, process_name], shape=Beat)


async def leave(pool: Pool, owner: UUID) -> None:
    """Give up all leases of the owner."""
    await rows(pool, "select gnomon.leave(%s)", [owner])
