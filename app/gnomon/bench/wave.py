"""A bulk wave: as many timers and as many deliveries, all due at one instant, by COPY straight into the tables.

The timers are those of one-shots copied from one that the engine accepted for that instant. The deliveries are as a fire
writes them: of one-shots that have fired, so that no schedule is left of them.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from gnomon.bench.calm import FILLED, vacuum
from gnomon.bench.fill import COPY_TIMERS, NOTE, SHARDS, copy_lines, new_id, shard_of
from gnomon.bench.patterns import Pattern, read_patterns
from gnomon.bench.race import accept
from gnomon.database.call import one, rows
from gnomon.database.pool import Connection, Pool, connection_of

CHANNEL: Final = "webhook"

_PATTERN: Final = "wave_pattern"
_BULK: Final = 2
_SESSIONS: Final = 2
_AT_ONCE: Final = 2_000
"""Rows are made so many at a time before the event loop gets its turn."""

_COPY_DELIVERIES: Final = """
copy gnomon_data.deliveries (lane, shard, id, channel, ready_at_utc, due_at_utc, schedule_id, notification_id, user_id,
    template_id, occurrence, scheduled_at_utc, accepted_at_utc, fired_at_utc) from stdin"""
_IN_USE: Final = "insert into gnomon_data.channels_in_use (lane, channel) values (%s, %s)"


@dataclass(frozen=True, slots=True)
class Wave:
    """What is due."""

    at_utc: datetime
    count: int
    """Of timers, and of deliveries."""


async def make_wave(pool: Pool, wave: Wave, say: Callable[[str], None] = lambda _: None) -> float:
    """Write it, vacuum and analyze; the seconds that took. Raises what the database raises, and Refused."""
    began = time.perf_counter()
    pattern = await _pattern(pool, wave.at_utc)
    await rows(pool, _IN_USE, [_BULK, CHANNEL])
    shards: list[list[int]] = [[] for _ in range(SHARDS)]
    for number in range(wave.count):
        shards[shard_of(b"wave_%d" % number)].append(number)
    waiting = list(enumerate(shards))

    async def session() -> None:
        async with connection_of(pool) as connection:
            while waiting:
                shard, numbers = waiting.pop()
                await _write_shard(connection, shard, numbers, wave, pattern)
                if len(waiting) % 16 == 0:
                    say(f"{SHARDS - len(waiting)} of {SHARDS} shards written, {time.perf_counter() - began:.0f} s")

    async with asyncio.TaskGroup() as tasks:
        for _ in range(_SESSIONS):
            tasks.create_task(session())
    await vacuum(pool, (*FILLED, "deliveries"))
    return time.perf_counter() - began


async def _pattern(pool: Pool, at_utc: datetime) -> Pattern:
    """One schedule of the wave as the engine writes it, read back and cancelled."""
    now_utc: datetime = (await one(pool, "select gnomon_data.now_utc() as now_utc"))["now_utc"]
    wanted = {"user_id": _PATTERN, "template_id": "wave", "channels": [CHANNEL], "lane": "bulk"}
    [schedule_id] = await accept(pool, [wanted | {"schedule_at": at_utc.isoformat(timespec="milliseconds")}])
    [pattern] = await read_patterns(pool, [_PATTERN], now_utc)
    await rows(pool, "select gnomon.cancel_schedule(%s)", [schedule_id])
    return pattern


async def _write_shard(connection: Connection, shard: int, numbers: Sequence[int], wave: Wave, pattern: Pattern) -> None:
    """Write a shard in one transaction."""
    schedules, timers, deliveries = [], [], []
    at = wave.at_utc.isoformat(timespec="milliseconds").encode()
    due_ms = int(wave.at_utc.timestamp() * 1000)
    for first in range(0, len(numbers), _AT_ONCE):
        for number in numbers[first : first + _AT_ONCE]:
            user = b"wave_%d" % number
            schedule_id = new_id(due_ms, 0, shard)
            schedules.append(b"%d\t%b\t%b\t\\N\t%b\n" % (shard, schedule_id, user, pattern.rest))
            timers.append(
                b"%b\t%b\t%b\t%b\t%d\t%d\t1\n" % (pattern.fire_at, pattern.fire_at, pattern.stamp, schedule_id, shard, _BULK)
            )
            ids = [new_id(due_ms, lane, shard) for lane in (_BULK, 0, 0)]
            words = (ids[0], CHANNEL.encode(), at, at, ids[1], ids[2], user, at, at, at)
            deliveries.append(b"%d\t%d\t%b\t%b\t%b\t%b\t%b\t%b\t%b\twave\t1\t%b\t%b\t%b\n" % (_BULK, shard, *words))
        await asyncio.sleep(0)
    async with connection.transaction():
        copy = f"copy gnomon_data.schedules (shard, id, user_id, key, {pattern.columns}) from stdin"
        await copy_lines(connection, copy, schedules)
        await copy_lines(connection, COPY_TIMERS.format("timers" if pattern.is_near else "timers_far"), timers)
        await copy_lines(connection, _COPY_DELIVERIES, deliveries)
        if numbers:
            await connection.execute(NOTE, (wave.at_utc.date(), shard, len(numbers)))
