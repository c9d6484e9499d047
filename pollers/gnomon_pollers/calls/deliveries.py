"""Looking at deliveries, claiming them, and settling what became of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec

from gnomon.database.call import one, rows
from gnomon.database.pool import Pool
from gnomon_pollers.bounds import Key, View, array_of
from gnomon_pollers.claims import Claim, steady
from gnomon_pollers.outcomes import Outcome

LaneChannelShard: TypeAlias = tuple[int, str, int]
"""Where a delivery waits: lane, channel and shard."""

_CLAIMED: Final = """
select delivery_id, claim_id, attempt, claimed_until_utc - now_utc as lease, now_utc, event::text as event
  from"""


@dataclass(frozen=True, slots=True)
class ReadyLook:
    """What a look at the deliveries found."""

    snapshot: str
    now_utc: datetime
    first: Mapping[LaneChannelShard, Key]
    next_at_utc: datetime | None


async def next_ready(
    pool: Pool,
    lanes: Sequence[int],
    channels: Sequence[str] | None,
    shards: Sequence[int],
    view: View[LaneChannelShard],
    unless: str | None = None,
) -> ReadyLook | None:
    """The first ready delivery of each place above its bound, if it has one, and the earliest instant not yet ready.

    None, and nothing was looked at, when the snapshot is still the one named by `unless`.
    """
    bound_lanes, bound_channels, bound_shards = view.columns or ("{}", "{}", "{}")
    found = await rows(
        pool,
        "select pg_current_snapshot()::text as snapshot, now_utc, lane, channel, shard, first_at_utc, first_id"
        " from gnomon.next_ready(%s, %s, %s, %s, %s, %s, %s, %s)"
        " where pg_current_snapshot()::text is distinct from %s",
        [
            array_of(lanes),
            None if channels is None else array_of(channels),
            array_of(shards),
            bound_lanes,
            bound_channels,
            bound_shards,
            view.after_at,
            view.after_id,
            unless,
        ],
    )
    if not found:
        return None
    first = {
        (row["lane"], row["channel"], row["shard"]): (row["first_at_utc"], row["first_id"])
        for row in found
        if row["lane"] is not None
    }
    next_at_utc = next((row["first_at_utc"] for row in found if row["lane"] is None), None)
    return ReadyLook(found[0]["snapshot"], found[0]["now_utc"], first, next_at_utc)


@dataclass(frozen=True, slots=True)
class Worker:
    """Who claims, and for how long."""

    name: str
    lease: timedelta


class Exchanged(NamedTuple):
    """What one exchange gave."""

    claims: list[Claim]
    unsettled_ids: frozenset[str]
    """Deliveries that somebody's open transaction holds: their outcomes are to be handed in again."""


async def exchange_deliveries(
    pool: Pool,
    worker: Worker,
    outcomes: Sequence[Outcome],
    view: View[LaneChannelShard],
    place: tuple[str, str],
    at_most: int,
) -> Exchanged:
    """Settle outcomes of one lane and claim what is ready in one lane and channel, the shards in the view's order.

    Nothing is claimed when at_most is 0. The lease is counted from before the call was sent.
    """
    lane, channel = place
    shards = view.columns[-1] if view.columns else "{}"
    asked_at = steady()
    found = await rows(
        pool,
        f"{_CLAIMED} gnomon.exchange_deliveries("  # noqa: S608  # ours
        "array(select o from jsonb_populate_recordset(null::gnomon.delivery_outcome, %s::jsonb) as o),"
        " %s, %s, %s, %s, %s, %s, %s, %s)",
        [
            msgspec.json.encode(outcomes).decode(),
            lane,
            channel,
            shards,
            at_most,
            worker.lease,
            worker.name,
            view.after_at if view.columns else None,
            view.after_id if view.columns else None,
        ],
    )
    unsettled_ids = frozenset(row["delivery_id"] for row in found if row["event"] is None)
    return Exchanged(_claims(found, place, asked_at), unsettled_ids)


async def claim_carefully(
    pool: Pool, worker: Worker, view: View[LaneChannelShard], place: tuple[str, str], at_most: int
) -> list[Claim]:
    """Claim after an exchange has raised, at most a hundred: what cannot be handed over is set aside."""
    lane, channel = place
    asked_at = steady()
    found = await rows(
        pool,
        f"{_CLAIMED} gnomon.claim_carefully(%s, %s, %s, %s, %s, %s, %s, %s)",
        [lane, channel, view.columns[-1], at_most, worker.lease, worker.name, view.after_at, view.after_id],
    )
    return _claims(found, place, asked_at)


async def set_aside_delivery(pool: Pool, delivery_id: str, claim_id: str, fault: Exception) -> bool:
    """Set a claimed delivery aside whose outcome cannot be settled; False when that is no fault of it, or not ours."""
    code = getattr(fault, "sqlstate", None) or getattr(fault, "code", None)
    constraint = getattr(getattr(fault, "diag", None), "constraint_name", None)
    found = await one(
        pool,
        "select gnomon.set_aside_delivery(%s, %s, %s, %s, %s) as is_aside",
        [delivery_id, claim_id, code, constraint, str(fault)],
    )
    return bool(found["is_aside"])


async def release_deliveries(pool: Pool, lane: str, claims: Sequence[Claim]) -> int:
    """Hand back claims that were never tried; how many were still ours."""
    found = await one(
        pool,
        "select gnomon.release_deliveries(%s, %s, %s::uuid[]) as released_count",
        [lane, [claim.delivery_id for claim in claims], [claim.claim_id for claim in claims]],
    )
    return int(found["released_count"])


def _claims(found: Sequence[Mapping[str, Any]], place: tuple[str, str], asked_at: timedelta) -> list[Claim]:
    claims = [
        Claim(
            delivery_id=row["delivery_id"],
            claim_id=str(row["claim_id"]),
            lane=place[0],
            channel=place[1],
            attempt=row["attempt"],
            # Spaces go without reading the numbers: a float in between would change what the caller wrote.
            event=msgspec.json.format(row["event"].encode(), indent=-1),
            claimed_at_utc=row["now_utc"],
            asked_at=asked_at,
            ends_at=asked_at + row["lease"],
        )
        for row in found
        if row["event"] is not None
    ]
    return sorted(claims, key=_due_order)


def _due_order(claim: Claim) -> str:
    # An id begins with the due instant and its text sorts as it does.
    return claim.delivery_id
