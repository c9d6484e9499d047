"""Millions of pending schedules, written by COPY straight into the tables as if they had been accepted one by one.

Patterns are accepted by the engine itself, through schedule_many; each row written is a copy of one of them under an id, a
user and a key of its own, with the timer, the key and the ledger's entry that belong to it. Nothing is due for three hours.

    a user   `recurring` daily schedules, keyed, in his own zone, and `once` one-shots over the next 30 days
    a shard  one transaction: schedules, keys, timers near and far, acceptances; several at a time
"""

import asyncio
import hashlib
import os
import random
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from gnomon.bench.calm import vacuum
from gnomon.bench.patterns import ZONES, Pattern, make_patterns
from gnomon.database.call import one
from gnomon.database.pool import Connection, Pool, connection_of

SHARDS: Final = 64
QUIET: Final = timedelta(hours=3)
"""Nothing that fill writes is due sooner."""

_NULL: Final = b"\\N"
_SESSIONS: Final = 3
_IDS_A_SHARD: Final = 100
_USERS_AT_ONCE: Final = 500
"""Rows of so many users are made before the event loop gets its turn again."""

_COPY_USERS: Final = "copy gnomon_data.users (shard, user_id, time_zone) from stdin"
_COPY_KEYS: Final = "copy gnomon_data.schedule_keys (shard, kind, key_hash, schedule_id, request_hash) from stdin"
COPY_TIMERS: Final = "copy gnomon_data.{} (fire_at_utc, wanted_at_utc, stamp, subject_id, shard, lane, kind) from stdin"
NOTE: Final = "insert into gnomon_data.acceptances (accepted_on, shard, accepted_count) values (%s, %s, %s)"
"""For the ledger."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fill:
    """What to write."""

    users: int
    recurring: int = 0
    """Daily ones, a user."""
    once: int = 0
    """One-shots, a user."""
    labels: Mapping[str, str] | None = None
    """Of every schedule."""
    prefix: str = "filled"
    """User ids are PREFIX_1 and so on."""

    @property
    def schedules(self) -> int:
        """How many there will be, patterns not counted."""
        return self.users * (self.recurring + self.once)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """What was written."""

    users: int
    prefix: str
    seconds: float
    ids: Sequence[str]
    """Of some thousand schedules, in no order: nobody has looked at them since."""


@dataclass(slots=True)
class _Rows:
    """The rows of a shard, as COPY takes them."""

    schedules: list[bytes]
    keys: list[bytes]
    near: list[bytes]
    far: list[bytes]


async def fill(pool: Pool, wanted: Fill, say: Callable[[str], None] = lambda _: None) -> Filled:
    """Write it all, then vacuum and analyze. Raises what the database raises."""
    began = time.perf_counter()
    patterns = await make_patterns(
        pool,
        wanted.prefix,
        recurring=wanted.users * wanted.recurring,
        once=wanted.users * wanted.once,
        labels=wanted.labels,
        quiet=QUIET,
    )
    clock = await one(pool, "select gnomon_data.now_utc() as now_utc")
    shards: list[list[int]] = [[] for _ in range(SHARDS)]
    for number in range(1, wanted.users + 1):
        shards[shard_of(f"{wanted.prefix}_{number}".encode())].append(number)
    waiting = list(enumerate(shards))
    ids: list[str] = []
    done = 0

    async def session() -> None:
        nonlocal done
        async with connection_of(pool) as connection:
            while waiting:
                shard, numbers = waiting.pop()
                ids.extend(await _write_shard(connection, shard, numbers, wanted, patterns, clock["now_utc"]))
                done += 1
                if done % 8 == 0:
                    say(f"{done} of {SHARDS} shards written, {time.perf_counter() - began:.0f} s")

    async with asyncio.TaskGroup() as tasks:
        for _ in range(_SESSIONS):
            tasks.create_task(session())
    say("vacuuming")
    await vacuum(pool)
    random.Random(wanted.users).shuffle(ids)  # noqa: S311  # an order, no secret
    return Filled(users=wanted.users, prefix=wanted.prefix, seconds=time.perf_counter() - began, ids=ids)


async def _write_shard(
    connection: Connection,
    shard: int,
    numbers: Sequence[int],
    wanted: Fill,
    patterns: Sequence[Pattern],
    now_utc: datetime,
) -> list[str]:
    """Write a shard in one transaction; the ids of some of its schedules."""
    made = _Rows([], [], [], [])
    zones = [zone.encode() for zone in ZONES]
    chance = random.Random(shard)  # noqa: S311  # which pattern, no secret
    async with connection.transaction():
        users = [b"%d\t%b_%d\t%b\n" % (shard, wanted.prefix.encode(), n, zones[n % len(zones)]) for n in numbers]
        await copy_lines(connection, _COPY_USERS, users)
        daily = {zone: [p for p in patterns if p.is_recurring and p.time_zone == zone] for zone in zones}
        single = {zone: [p for p in patterns if not p.is_recurring and p.time_zone in (zone, _NULL)] for zone in zones}
        for first in range(0, len(numbers), _USERS_AT_ONCE):
            for number in numbers[first : first + _USERS_AT_ONCE]:
                zone = zones[number % len(zones)]
                chosen = chance.choices(daily[zone], k=wanted.recurring) if wanted.recurring else []
                if wanted.once:
                    chosen += chance.choices(single[zone], k=wanted.once)
                _add(made, shard, f"{wanted.prefix}_{number}".encode(), chosen, now_utc)
            await asyncio.sleep(0)
        columns = patterns[0].columns
        await copy_lines(
            connection, f"copy gnomon_data.schedules (shard, id, user_id, key, {columns}) from stdin", made.schedules
        )
        await copy_lines(connection, _COPY_KEYS, made.keys)
        await copy_lines(connection, COPY_TIMERS.format("timers"), made.near)
        await copy_lines(connection, COPY_TIMERS.format("timers_far"), made.far)
        if made.schedules:
            await connection.execute(NOTE, (now_utc.date(), shard, len(made.schedules)))
    some = made.schedules[:: 1 + len(made.schedules) // _IDS_A_SHARD]
    return [line.split(b"\t", 2)[1].decode() for line in some]


def _add(made: _Rows, shard: int, user_id: bytes, chosen: Iterable[Pattern], now_utc: datetime) -> None:
    """The rows of one user. An id is laid out as gnomon_data.new_id does it."""
    now_ms = int(now_utc.timestamp() * 1000)
    for place, pattern in enumerate(chosen):
        schedule_id = new_id(now_ms, 0, shard)
        key = b"pill-%d" % place if pattern.is_recurring else _NULL
        made.schedules.append(b"%d\t%b\t%b\t%b\t%b\n" % (shard, schedule_id, user_id, key, pattern.rest))
        if pattern.is_recurring:
            key_hash = hashlib.sha256(user_id + b"\x01" + key).hexdigest().encode()
            made.keys.append(b"%d\t1\t\\\\x%b\t%b\t%b\n" % (shard, key_hash, schedule_id, pattern.request_hash))
        timer = b"%b\t%b\t%b\t%b\t%d\t%b\t%d\n" % (
            pattern.fire_at,
            pattern.fire_at,
            pattern.stamp,
            schedule_id,
            shard,
            pattern.lane,
            2 if pattern.is_recurring else 1,
        )
        (made.near if pattern.is_near else made.far).append(timer)


async def copy_lines(connection: Connection, statement: str, lines: Sequence[bytes]) -> None:
    """COPY rows as its text form has them."""
    if not lines:
        return
    async with connection.cursor() as cursor, cursor.copy(statement) as copy:
        for first in range(0, len(lines), 1000):
            await copy.write(b"".join(lines[first : first + 1000]))


def shard_of(user_id: bytes) -> int:
    """As gnomon_data.shard_of has it."""
    return hashlib.sha256(user_id).digest()[0] & (SHARDS - 1)


def new_id(at_ms: int, lane: int, shard: int) -> bytes:
    """As gnomon_data.new_id lays it out."""
    return b"%012x7%x%02x8%b" % (at_ms, lane, shard, os.urandom(8).hex().encode()[1:])
