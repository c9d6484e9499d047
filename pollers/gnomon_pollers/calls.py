"""The SQL functions that the clockwork calls, one typed function each, named as there.

Bounds travel as array literals made once (bounds.View), outcomes as one jsonb text: a poll ten times a second must not
spend its time on turning 800 values into parameters.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, NamedTuple, TypeAlias
from uuid import UUID

import msgspec

from gnomon.database.call import one, quoted, rows
from gnomon.database.pool import Pool
from gnomon_pollers.bounds import Key, View, array_of
from gnomon_pollers.claims import Claim, steady
from gnomon_pollers.outcomes import Outcome

LANES: Final = ("critical", "transactional", "bulk")
"""The lanes by their number, the most urgent first."""

LaneShard: TypeAlias = tuple[int, int]
"""Where a timer waits: lane and shard."""

LaneChannelShard: TypeAlias = tuple[int, str, int]
"""Where a delivery waits: lane, channel and shard."""


@dataclass(frozen=True, slots=True)
class Look:
    """What a look into the time plane found."""

    now_utc: datetime
    first: Mapping[LaneShard, Key]
    """The first row of every place where one is due."""
    next_at_utc: datetime | None
    """The earliest instant not yet due."""


@dataclass(frozen=True, slots=True)
class ReadyLook:
    """What a look at the deliveries found."""

    now_utc: datetime
    first: Mapping[LaneChannelShard, Key]
    next_at_utc: datetime | None


class Fired(NamedTuple):
    """What one call of fire did."""

    taken_count: int
    fired_count: int
    set_back_count: int
    stale_count: int
    expired_count: int
    is_full: bool

    @classmethod
    def sum(cls, fired: Sequence["Fired"]) -> "Fired":
        """What several calls did; full when one of them was."""
        taken, done, set_back, stale, expired, full = zip(*fired, strict=True)
        return cls(sum(taken), sum(done), sum(set_back), sum(stale), sum(expired), any(full))


NOTHING_FIRED: Final = Fired(0, 0, 0, 0, 0, is_full=False)


class Proof(NamedTuple):
    """The first half of the proof of a safe mark."""

    clock_utc: datetime
    xid: str


class Beat(NamedTuple):
    """A shard that a heartbeat confirmed."""

    shard: int
    is_new: bool


class PeriodBehind(NamedTuple):
    """A partition by time that lies behind."""

    parent_table: str
    period_table: str
    is_droppable: bool


async def set_setting(pool: Pool, name: str, value: str) -> None:
    """Tell SQL a setting of this process."""
    await rows(pool, "select gnomon.set_setting(%s, %s)", [name, value])


async def clock_utc(pool: Pool) -> datetime:
    """The database's clock."""
    at_utc: datetime = (await one(pool, "select gnomon.clock_utc() as at_utc"))["at_utc"]
    return at_utc


async def beat(pool: Pool, owner: UUID, lease_group: str, process_name: str) -> list[Beat]:
    """Say that the owner lives; the shards it holds now."""
    return await rows(
        pool, "select shard, is_new from gnomon.beat(%s, %s, %s)", [owner, lease_group, process_name], shape=Beat
    )


async def leave(pool: Pool, owner: UUID) -> None:
    """Give up all leases of the owner."""
    await rows(pool, "select gnomon.leave(%s)", [owner])


async def next_due(pool: Pool, view: View[LaneShard]) -> Look:
    """The first due timer above the bound of each place, and the earliest instant not yet due."""
    lanes, shards = view.columns
    found = await rows(
        pool,
        "select now_utc, lane, shard, first_at_utc, first_id from gnomon.next_due(%s, %s, %s, %s)",
        [lanes, shards, view.after_at, view.after_id],
    )
    first = {(row["lane"], row["shard"]): (row["first_at_utc"], row["first_id"]) for row in found if row["lane"] is not None}
    next_at_utc = next((row["first_at_utc"] for row in found if row["lane"] is None), None)
    return Look(found[0]["now_utc"], first, next_at_utc)


async def fire_slice(pool: Pool, lane: int, view: View[LaneShard], each: int) -> Fired:
    """Fire what is due in one lane and the shards of one slice, at most `each` a shard."""
    _, shards = view.columns
    return await one(
        pool,
        "select taken_count, fired_count, set_back_count, stale_count, expired_count, is_full"
        " from gnomon.fire_slice(%s::smallint, %s, %s, %s, %s)",
        [lane, shards, view.after_at, view.after_id, each],
        shape=Fired,
    )


async def fire_far(pool: Pool, shards: Sequence[int], at_most: int) -> Fired:
    """Fire what is due among the far timers."""
    return await one(
        pool,
        "select taken_count, fired_count, set_back_count, stale_count, expired_count, is_full from gnomon.fire_far(%s, %s)",
        [array_of(shards), at_most],
        shape=Fired,
    )


async def oldest_period_utc(pool: Pool) -> datetime | None:
    """Where a sweep from the very start begins; None when there is no period."""
    found = await one(pool, "select nullif(gnomon.oldest_period_utc(), '-infinity') as at_utc")
    at_utc: datetime | None = found["at_utc"]
    return at_utc


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


async def next_ready(
    pool: Pool, lanes: Sequence[int], channels: Sequence[str] | None, shards: Sequence[int], view: View[LaneChannelShard]
) -> ReadyLook:
    """The first ready delivery of each place above its bound, if it has one, and the earliest instant not yet ready."""
    bound_lanes, bound_channels, bound_shards = view.columns or ("{}", "{}", "{}")
    found = await rows(
        pool,
        "select now_utc, lane, channel, shard, first_at_utc, first_id"
        " from gnomon.next_ready(%s, %s, %s, %s, %s, %s, %s, %s)",
        [
            array_of(lanes),
            None if channels is None else array_of(channels),
            array_of(shards),
            bound_lanes,
            bound_channels,
            bound_shards,
            view.after_at,
            view.after_id,
        ],
    )
    first = {
        (row["lane"], row["channel"], row["shard"]): (row["first_at_utc"], row["first_id"])
        for row in found
        if row["lane"] is not None
    }
    next_at_utc = next((row["first_at_utc"] for row in found if row["lane"] is None), None)
    return ReadyLook(found[0]["now_utc"], first, next_at_utc)


@dataclass(frozen=True, slots=True)
class Worker:
    """Who claims, and for how long."""

    name: str
    lease: timedelta


async def exchange_deliveries(
    pool: Pool,
    worker: Worker,
    outcomes: Sequence[Outcome],
    view: View[LaneChannelShard],
    place: tuple[str, str],
    at_most: int,
) -> list[Claim]:
    """Settle outcomes of one lane and claim what is ready in one lane and channel, the shards in the view's order.

    Nothing is claimed when at_most is 0. The lease is counted from before the call was sent.
    """
    lane, channel = place
    shards = view.columns[-1] if view.columns else "{}"
    asked_at = steady()
    found = await rows(
        pool,
        "select delivery_id, claim_id, attempt, claimed_until_utc - now_utc as lease, now_utc, event::text as event"
        " from gnomon.exchange_deliveries("
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
    claims = [
        Claim(
            delivery_id=row["delivery_id"],
            claim_id=str(row["claim_id"]),
            lane=lane,
            channel=channel,
            attempt=row["attempt"],
            # Spaces go without reading the numbers: a float in between would change what the caller wrote.
            event=msgspec.json.format(row["event"].encode(), indent=-1),
            claimed_at_utc=row["now_utc"],
            asked_at=asked_at,
            ends_at=asked_at + row["lease"],
        )
        for row in found
    ]
    return sorted(claims, key=_due_order)


async def release_deliveries(pool: Pool, lane: str, claims: Sequence[Claim]) -> int:
    """Hand back claims that were never tried; how many were still ours."""
    found = await one(
        pool,
        "select gnomon.release_deliveries(%s, %s, %s::uuid[]) as released_count",
        [lane, [claim.delivery_id for claim in claims], [claim.claim_id for claim in claims]],
    )
    return int(found["released_count"])


async def make_periods(pool: Pool) -> int:
    """Make the partitions of the next days; how many were missing."""
    return await _count(pool, "select gnomon.make_periods() as done_count")


async def move_far(pool: Pool, at_most: int) -> int:
    """Move far timers whose period has come near."""
    return await _count(pool, "select gnomon.move_far(%s) as done_count", at_most)


async def forget_keys(pool: Pool, at_most: int) -> int:
    """Remove keys that need no longer be remembered."""
    return await _count(pool, "select gnomon.forget_keys(%s) as done_count", at_most)


async def forget_payloads(pool: Pool, at_most: int) -> int:
    """Remove long params that nothing points to any more."""
    return await _count(pool, "select gnomon.forget_payloads(%s) as done_count", at_most)


async def release_parked(pool: Pool, at_most: int) -> int:
    """Release deliveries that wait behind one that is gone."""
    return await _count(pool, "select gnomon.release_parked(%s) as done_count", at_most)


async def overdue_schedules(pool: Pool, at_most: int) -> list[str]:
    """Live schedules whose instant passed a minute ago: there should be none."""
    found = await rows(pool, "select schedule_id from gnomon.overdue_schedules(%s)", [at_most])
    return [row["schedule_id"] for row in found]


async def periods_behind(pool: Pool) -> list[PeriodBehind]:
    """Periods that every safe mark, or their retention, has passed."""
    return await rows(
        pool, "select parent_table, period_table, is_droppable from gnomon.periods_behind()", shape=PeriodBehind
    )


async def reread_period(pool: Pool, period_table: str) -> int:
    """Insert anew what is left in a detached period."""
    return await _count(pool, "select gnomon.reread_period(%s) as done_count", period_table)


async def drop_period(pool: Pool, period_table: str) -> None:
    """Drop a detached period that was read again."""
    await rows(pool, "select gnomon.drop_period(%s)", [period_table])


async def leave_period(pool: Pool, period_table: str) -> None:
    """Let nobody write timers into a period any more, before it is detached."""
    await rows(pool, "select gnomon.leave_period(%s)", [period_table])


async def analyze(pool: Pool, table: str) -> None:
    """Let the planner look at a table and its partitions."""
    await rows(pool, f"analyze {quoted('gnomon_data', table)}")


async def detach_period(pool: Pool, parent_table: str, period_table: str) -> None:
    """Detach a period; waits for every transaction that uses the parent, and blocks none."""
    await rows(
        pool,
        f"alter table {quoted('gnomon_data', parent_table)}"
        f" detach partition {quoted('gnomon_data', period_table)} concurrently",
    )


async def finalize_period(pool: Pool, parent_table: str, period_table: str) -> None:
    """Bring a detach to its end that was interrupted."""
    await rows(
        pool,
        f"alter table {quoted('gnomon_data', parent_table)} detach partition {quoted('gnomon_data', period_table)} finalize",
    )


async def _count(pool: Pool, sql: str, *params: int | str) -> int:
    return int((await one(pool, sql, params))["done_count"])


def _due_order(claim: Claim) -> str:
    # An id begins with the due instant and its text sorts as it does.
    return claim.delivery_id
