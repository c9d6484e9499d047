"""The whole life of a notification, driven flat out by hands that do what poller and worker do, one call after the other.

    accept    schedule_many, 500 a call
    fire      next_due over the shards, then fire_slice for each slice that has something due, until nothing is
    deliver   next_ready over the shards, then exchange_deliveries: the last 500 settled as sent, the next 500 claimed

Bounds move as those of the processes do (see gnomon_pollers.bounds): two seconds behind the clock after a drained look,
right before the first row seen while there is a backlog, and one look every 100 ms that is wide all the same.
"""

import hashlib
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final, TypeAlias
from uuid import UUID

import msgspec

from gnomon.database.call import rows
from gnomon.database.pool import Pool, open_pool

BATCH: Final = 500
"""Requests, timers or deliveries of one call, as pollers and workers have it."""

AT_ONCE: Final = 8
"""Batches that are accepted before the first of them fires."""

STEPS: Final = ("accept", "fire", "deliver")

LANE: Final = 1
CHANNEL: Final = "log"

_SHARDS: Final = 64
_SLICE: Final = 8
_NIL: Final = UUID(int=0)
_BACK: Final = timedelta(seconds=2)
_WIDE_EVERY: Final = 0.1

_ACCEPT: Final = "select count(error_code) as refused from gnomon.schedule_many(%s::jsonb)"
_NEXT_DUE: Final = """
select now_utc, shard, first_at_utc as at_utc, first_id as id
  from gnomon.next_due(array_fill(%s::smallint, array[%s::int]), %s::smallint[], %s::timestamptz[], %s::uuid[])"""
_FIRE: Final = """
select taken_count, fired_count, is_full
  from gnomon.fire_slice(%s::smallint, %s::smallint[], %s::timestamptz[], %s::uuid[], %s)"""
_NEXT_READY: Final = """
select now_utc, shard, first_at_utc as at_utc, first_id as id
  from gnomon.next_ready(array[%s::smallint], array[%s::text], %s::smallint[], array_fill(%s::smallint, array[%s::int]),
       array_fill(%s::text, array[%s::int]), %s::smallint[], %s::timestamptz[], %s::uuid[])"""
_EXCHANGE: Final = """
select delivery_id, claim_id::text as claim_id, event::text as event
  from gnomon.exchange_deliveries(
       array(select o from jsonb_populate_recordset(null::gnomon.delivery_outcome, %s::jsonb) as o),
       'transactional', 'log', %s::smallint[], %s, interval '30 s', 'bench', %s::timestamptz[], %s::uuid[])"""

Key: TypeAlias = tuple[datetime, UUID]


class Refused(RuntimeError):
    """The engine did not accept what it was asked for."""


@dataclass(slots=True)
class _Plane:
    """Where the looks of one plane begin."""

    low: dict[int, Key]
    narrow: dict[int, Key]
    is_full: bool = False
    wide_at: float = 0.0

    def bounds(self) -> dict[int, Key]:
        """For the next look."""
        at = time.monotonic()
        if self.is_full and at - self.wide_at < _WIDE_EVERY:
            return self.narrow
        self.wide_at = at
        return self.low

    def seen(self, bounds: dict[int, Key], found: Sequence[dict[str, Any]]) -> dict[int, Key]:
        """Move the bounds; the first row of each shard that has one, oldest first."""
        first = {row["shard"]: (row["at_utc"], row["id"]) for row in found if row["shard"] is not None}
        drained = (found[0]["now_utc"] - _BACK, _NIL)
        for shard in bounds:
            key = _before(first[shard]) if shard in first else drained
            self.narrow[shard] = key
            if bounds is not self.narrow:
                self.low[shard] = min(key, drained)
        return dict(sorted(first.items(), key=lambda item: item[1]))


@dataclass(slots=True)
class Hand:
    """One connection that looks after some shards, as one process with leases does."""

    pool: Pool
    shards: tuple[int, ...]
    outcomes: list[dict[str, str]] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=lambda: dict.fromkeys(STEPS, 0.0))
    """Spent in each step."""
    timers: _Plane = field(init=False)
    deliveries: _Plane = field(init=False)

    def __post_init__(self) -> None:
        """Begin at the very start."""
        start = (datetime.fromisoformat("2000-01-01T00:00:00+00:00"), _NIL)
        self.timers = _Plane(dict.fromkeys(self.shards, start), dict.fromkeys(self.shards, start))
        self.deliveries = _Plane(dict.fromkeys(self.shards, start), dict.fromkeys(self.shards, start))

    async def live(self, requests: Sequence[str]) -> int:
        """Take all of this through its life, AT_ONCE batches at a time; how many were settled. Raises Refused."""
        settled = 0
        for first in range(0, len(requests), AT_ONCE):
            began = time.perf_counter()
            for batch in requests[first : first + AT_ONCE]:
                await self.accept(batch)
            accepted = time.perf_counter()
            await self.fire()
            fired = time.perf_counter()
            settled += await self.deliver()
            for step, seconds in zip(STEPS, (accepted - began, fired - accepted, time.perf_counter() - fired), strict=True):
                self.seconds[step] += seconds
        return settled

    async def accept(self, requests: str) -> None:
        """Schedule one batch. Raises Refused."""
        answer = (await rows(self.pool, _ACCEPT, [requests]))[0]
        if answer["refused"]:
            raise Refused(f"{answer['refused']} of a batch were refused")

    async def fire(self) -> int:
        """Fire all that is due now; how many."""
        fired = 0
        while True:
            bounds = self.timers.bounds()
            at, ids = zip(*bounds.values(), strict=True)
            found = await rows(self.pool, _NEXT_DUE, [LANE, len(bounds), list(bounds), list(at), list(ids)])
            first = self.timers.seen(bounds, found)
            taken, self.timers.is_full = await self._fire_round(first, bounds)
            fired += taken
            if not taken:
                return fired

    async def _fire_round(self, first: dict[int, Key], view: dict[int, Key]) -> tuple[int, bool]:
        fired, is_full = 0, False
        slices: dict[int, list[int]] = {}
        for shard in first:
            slices.setdefault(shard // _SLICE, []).append(shard)
        for shards in slices.values():
            at, ids = zip(*(_at_least(view[shard], first[shard]) for shard in shards), strict=True)
            each = max(1, BATCH // len(shards))
            found = (await rows(self.pool, _FIRE, [LANE, shards, list(at), list(ids), each]))[0]
            fired += found["fired_count"]
            is_full = is_full or found["is_full"]
        return fired, is_full

    async def deliver(self) -> int:
        """Claim and settle all that is ready now; how many were settled."""
        settled = 0
        while True:
            bounds = self.deliveries.bounds()
            at, ids = zip(*bounds.values(), strict=True)
            many, shards = len(bounds), list(bounds)
            asked = [LANE, CHANNEL, shards, LANE, many, CHANNEL, many, shards, list(at), list(ids)]
            first = self.deliveries.seen(bounds, await rows(self.pool, _NEXT_READY, asked))
            view = [_at_least(bounds[shard], first[shard]) for shard in first]
            outcomes, self.outcomes = self.outcomes, []
            if not first and not outcomes:
                return settled
            wanted = [list(first), BATCH if first else 0, [key[0] for key in view], [key[1] for key in view]]
            claims = await rows(self.pool, _EXCHANGE, [msgspec.json.encode(outcomes).decode(), *wanted])
            self.outcomes = [
                {"delivery_id": row["delivery_id"], "claim_id": row["claim_id"], "outcome": "sent"} for row in claims
            ]
            self.deliveries.is_full = len(claims) == BATCH
            settled += len(outcomes)


@asynccontextmanager
async def hands(url: str, count: int) -> AsyncIterator[list[Hand]]:
    """So many hands, each with a connection and an equal share of the shards: whole slices, as a fair share is not split."""
    async with AsyncExitStack() as stack:
        made = []
        for number in range(count):
            pool = open_pool(url, min_size=1, max_size=1, application_name=f"gnomon bench {number}")
            share = range(number * _SHARDS // count, (number + 1) * _SHARDS // count)
            made.append(Hand(await stack.enter_async_context(pool), tuple(share)))
        yield made


def batches(hand: Hand, count: int, behind: int = 0) -> list[str]:
    """Requests for count one-shots due at once, each of another user in the hand's shards, as the JSON of calls of 500.

    Users are numbered from `behind` on: nobody gets thousands in a minute, and an order of his own is looked up in an index.
    """
    requests: list[dict[str, Any]] = []
    number = behind
    while len(requests) < count:
        number += 1
        user_id = f"u_{number}"
        if hashlib.sha256(user_id.encode()).digest()[0] & (_SHARDS - 1) in hand.shards:
            wanted = {"user_id": user_id, "template_id": "peak", "schedule_at": "PT0S", "channels": [CHANNEL]}
            requests.append(wanted | {"params": {"name": "Ada", "dose": number % 9}})
    return [msgspec.json.encode(requests[first : first + BATCH]).decode() for first in range(0, count, BATCH)]


def _before(key: Key) -> Key:
    return (key[0], UUID(int=max(key[1].int - 1, 0)))


def _at_least(bound: Key, first: Key) -> Key:
    """Where a claim begins: at the bound of the look that saw the row, which is not above it."""
    return min(bound, _before(first))
