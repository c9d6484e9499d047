"""Looking at timers and firing them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple, TypeAlias

from gnomon.database.call import one, rows
from gnomon.database.pool import Pool
from gnomon_pollers.bounds import Key, View, array_of
from gnomon_pollers.calls.durability import NOT_FLUSHED

LaneShard: TypeAlias = tuple[int, int]
"""Where a timer waits: lane and shard."""


@dataclass(frozen=True, slots=True)
class Look:
    """What a look into the time plane found."""

    snapshot: str
    now_utc: datetime
    first: Mapping[LaneShard, Key]
    """The first row of every place where one is due."""
    next_at_utc: datetime | None
    """The earliest instant not yet due."""


_NEXT_DUE: Final = """
select pg_current_snapshot()::text as snapshot, now_utc, lane, shard, first_at_utc, first_id
  from gnomon.next_due(%s, %s, %s, %s)
 where pg_current_snapshot()::text is distinct from %s
"""
_NEXT_DUE_ABOVE_ONE_KEY: Final = """
select pg_current_snapshot()::text as snapshot, now_utc, lane, shard, first_at_utc, first_id
  from gnomon.next_due(
       %s, %s, array_fill(%s::timestamptz, array[%s::int]), array_fill(%s::uuid, array[%s::int]))
 where pg_current_snapshot()::text is distinct from %s
"""

_FIRED: Final = "select taken_count, fired_count, set_back_count, stale_count, expired_count, is_full"
_CAREFULLY: Final = f"{_FIRED}, set_aside_count from gnomon.fire_carefully(%s::smallint, %s, %s, %s, %s)"


class Fired(NamedTuple):
    """What one call of fire did."""

    taken_count: int
    fired_count: int
    set_back_count: int
    stale_count: int
    expired_count: int
    is_full: bool
    set_aside_count: int = 0

    @classmethod
    def sum(cls, fired: Sequence["Fired"]) -> "Fired":
        """What several calls did; full when one of them was."""
        taken, done, set_back, stale, expired, full, aside = zip(*fired, strict=True)
        return cls(sum(taken), sum(done), sum(set_back), sum(stale), sum(expired), any(full), sum(aside))


NOTHING_FIRED: Final = Fired(0, 0, 0, 0, 0, is_full=False)


async def next_due(pool: Pool, view: View[LaneShard], unless: str | None = None) -> Look | None:
    """The first due timer above the bound of each place, and the earliest instant not yet due.

    None, and nothing was looked at, when the snapshot is still the one named by `unless`.
    """
    lanes, shards = view.columns
    if view.common is None:
        found = await rows(pool, _NEXT_DUE, [lanes, shards, view.after_at, view.after_id, unless])
    else:
        count = len(view.keys)
        found = await rows(
            pool, _NEXT_DUE_ABOVE_ONE_KEY, [lanes, shards, view.common[0], count, view.common[1], count, unless]
        )
    if not found:
        return None
    first = {(row["lane"], row["shard"]): (row["first_at_utc"], row["first_id"]) for row in found if row["lane"] is not None}
    next_at_utc = next((row["first_at_utc"] for row in found if row["lane"] is None), None)
    return Look(found[0]["snapshot"], found[0]["now_utc"], first, next_at_utc)


async def fire_slice(pool: Pool, lane: int, view: View[LaneShard], each: int) -> Fired:
    """Fire what is due in one lane and the shards of one slice, at most `each` a shard.

    Its commit waits for no disk, since a claim comes before anything is sent. Waiting, a poller with something due in every
    slice did one flush after the other, sixteen times as late as the disk was slow.
    """
    _, shards = view.columns
    return await one(
        pool,
        f"{_FIRED} from gnomon.fire_slice(%s::smallint, %s, %s, %s, %s), {NOT_FLUSHED}",
        [lane, shards, view.after_at, view.after_id, each],
        shape=Fired,
    )


async def fire_carefully(pool: Pool, lane: int, view: View[LaneShard], each: int) -> Fired:
    """Fire as fire_slice does, after it has raised: what cannot be fired is set aside, the rest fires."""
    _, shards = view.columns
    return await one(pool, _CAREFULLY, [lane, shards, view.after_at, view.after_id, each], shape=Fired)


async def fire_far_carefully(pool: Pool, shards: Sequence[int], each: int) -> Fired:
    """Fire as fire_far does, after it has raised; at most `each` a lane and shard."""
    return await one(pool, _CAREFULLY, [None, array_of(shards), None, None, each], shape=Fired)


async def hint_ready(pool: Pool) -> None:
    """Wake the workers: something that is due just now has become a delivery."""
    await rows(pool, "select pg_notify('gnomon_ready', '')")


async def fire_far(pool: Pool, shards: Sequence[int], at_most: int) -> Fired:
    """Fire what is due among the far timers."""
    return await one(
        pool,
        f"{_FIRED} from gnomon.fire_far(%s, %s), {NOT_FLUSHED}",
        [array_of(shards), at_most],
        shape=Fired,
    )


async def oldest_period_utc(pool: Pool) -> datetime | None:
    """Where a sweep from the very start begins; None when there is no period."""
    found = await one(pool, "select nullif(gnomon.oldest_period_utc(), '-infinity') as at_utc")
    at_utc: datetime | None = found["at_utc"]
    return at_utc
