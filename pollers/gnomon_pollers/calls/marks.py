"""Safe marks: read, and proven in two halves."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from gnomon.database.call import one, rows
from gnomon.database.pool import Pool
from gnomon_pollers.bounds import array_of
from gnomon_pollers.calls.timers import LaneShard


class Proof(NamedTuple):
    """The first half of the proof of a safe mark."""

    clock_utc: datetime
    xid: str


async def safe_marks(pool: Pool, plane: str, shards: Sequence[int]) -> dict[LaneShard, datetime | None]:
    """Below these instants nothing is left; None where nothing was proven yet."""
    found = await rows(
        pool,
        "select lane, shard, nullif(safe_at_utc, '-infinity') as safe_at_utc from gnomon.safe_marks(%s, %s)",
        [plane, array_of(shards)],
    )
    return {(row["lane"], row["shard"]): row["safe_at_utc"] for row in found}


async def begin_proof(pool: Pool) -> Proof:
    """Read the clock and take an xid; hand both to prove_marks later."""
    return await one(pool, "select clock_utc, xid from gnomon.begin_proof()", shape=Proof)


async def prove_marks(pool: Pool, plane: str, shards: Sequence[int], proof: Proof) -> bool:
    """Move the safe marks; False when a transaction that was open at the begin still is."""
    found = await one(
        pool,
        "select gnomon.prove_marks(%s, %s, %s, %s) as has_moved",
        [plane, array_of(shards), proof.clock_utc, proof.xid],
    )
    return bool(found["has_moved"])
