"""A label of millions cancelled while some of it is being handed over, and the receiver's word on what came after."""

import asyncio
import time
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from gnomon.bench.race import accept
from gnomon.database.call import one
from gnomon.database.pool import Pool, connection_of
from gnomon.demo.receipts import Receipts

LABELS: Final = {"batch": "storm"}

_FROM: Final = timedelta(seconds=4)
"""From the last of those due soon that is accepted until the first of them is due; the load of accepting has gone by."""
_LASTS: Final = timedelta(seconds=6)
_QUIET_AFTER: Final = 6.0
"""Seconds behind the last instant: what was handed over has come by then, be it sent twice."""

_CANCEL: Final = "select operation_id from gnomon.cancel_by_label('batch', 'storm')"
# In the transaction of the cancel, behind it: whatever is not here had not been handed over when the call returned.
_HANDED_OVER: Final = """
select gnomon_data.id_text('dlv', d.id) from gnomon_data.deliveries as d where d.claim_id is not null
union all
select gnomon_data.id_text('dlv', g.id) from gnomon_data.delivery_log as g where g.first_claimed_at_utc is not null"""
_SWEPT: Final = "select swept_count from gnomon.find_operation(%s)"


class NothingRaced(RuntimeError):
    """The cancel came before or after everything: what it was to be raced against was not there."""


@dataclass(frozen=True, slots=True)
class Storm:
    """What a mass cancel did."""

    call_seconds: float
    before: int
    """Received of those due soon, handed over before the call returned."""
    after: int
    """Received, and handed over after it. Must be none."""
    spared: int
    """Of those due soon, never received."""
    swept_a_second: float


async def storm(pool: Pool, receipts: Receipts, count: int, sweep_for: float) -> Storm:
    """Accept `count` with the label that are due within seconds, cancel the label in their middle, and wait.

    Raises NothingRaced.
    """
    # Accepted for a time far off and then due at once would be another path; the lead covers accepting them.
    lead = _FROM + timedelta(seconds=count / 1_000)
    now_utc: datetime = (await one(pool, "select gnomon_data.now_utc() as now_utc"))["now_utc"]
    zero = time.monotonic()
    first = now_utc + lead
    wanted = [
        {
            "user_id": f"storm_{number}",
            "template_id": "storm",
            "channels": ["webhook"],
            "labels": LABELS,
            "schedule_at": (first + _LASTS * number / count).isoformat(timespec="milliseconds"),
        }
        for number in range(count)
    ]
    ids = set(await accept(pool, wanted))
    await asyncio.sleep(max(0.0, zero + (lead + _LASTS / 2).total_seconds() - time.monotonic()))
    call_seconds, operation_id, handed_over = await _cancel(pool)
    end = zero + (lead + _LASTS).total_seconds() + _QUIET_AFTER
    swept, began = 0, time.monotonic()
    await asyncio.sleep(max(0.0, end - time.monotonic(), sweep_for))
    swept = (await one(pool, _SWEPT, [operation_id]))["swept_count"]
    rate = swept / (time.monotonic() - began)
    receipts.read()
    came = [receipt for receipt in receipts.all if receipt.schedule_id in ids]
    after = sum(receipt.delivery_id not in handed_over for receipt in came)
    before = len({receipt.schedule_id for receipt in came if receipt.delivery_id in handed_over})
    if before in {0, count}:
        raise NothingRaced(f"{before} of {count} had been handed over when the label was cancelled")
    never = count - len({receipt.schedule_id for receipt in came})
    return Storm(call_seconds, before, after, never, rate)


async def _cancel(pool: Pool) -> tuple[float, str, frozenset[str]]:
    """The seconds of the call and its commit, the operation, and what had been handed over when the call returned."""
    async with connection_of(pool) as connection:
        await connection.execute("begin")
        began = time.perf_counter()
        operation = await (await connection.execute(_CANCEL)).fetchone()
        called = time.perf_counter() - began
        assert operation is not None
        handed_over = await (await connection.execute(_HANDED_OVER)).fetchall()
        began = time.perf_counter()
        await connection.execute("commit")
        return called + time.perf_counter() - began, operation[0], frozenset(row[0] for row in handed_over)
