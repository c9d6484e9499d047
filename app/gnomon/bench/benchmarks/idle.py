"""What the whole of Gnomon costs while nothing is due: API, poller, worker and PostgreSQL, with a million pending.

CPU time of every process, and of the server with all of its backends and workers, over windows of --minutes in which
nobody calls and nothing fires. The receiver is counted too. Beside it the buffers that a poll of all lanes and shards
touches, also when no transaction has ended since the one before, and what the server touches a second in all.
"""

import asyncio
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any, Final

from gnomon.bench import calm, cpu
from gnomon.bench.benchmark import Bar, Benchmark, Line, Measured, Run
from gnomon.bench.fill import Fill, fill
from gnomon.bench.household import Household, household
from gnomon.bench.poll import EMPTY_POLL, poll_parameters
from gnomon.bench.rounds import ROUNDS
from gnomon.bench.stage import require_empty
from gnomon.database.call import one
from gnomon.database.pool import Pool

_USERS: Final = 100_000
_RECURRING: Final = 6
_ONCE: Final = 4
_SETTLE: Final = 30.0
"""Seconds in which processes come to rest after their start."""
_SMALL_WINDOW: Final = 2.0

_AT_MOST: Final = 3.0
_SHARDS: Final = 64
_SERVER: Final = "postgresql"
_UNCHANGED: Final = f"{EMPTY_POLL} where pg_current_snapshot()::text is distinct from %s"
_TOUCHED: Final = """
select (d.blks_hit + d.blks_read)::float8 as blocks
  from pg_catalog.pg_stat_database as d where d.datname = current_database()"""


async def _measure(run: Run) -> Measured:
    await require_empty(run.pool)
    wanted = Fill(users=_USERS // 100 if run.is_small else _USERS, recurring=_RECURRING, once=_ONCE)
    run.say(f"filling {wanted.schedules:,}")
    await fill(run.pool, wanted, run.say)
    await calm.checkpoint(run.pool)
    window = _SMALL_WINDOW if run.is_small else run.minutes * 60
    rounds = []
    with tempfile.TemporaryDirectory(prefix="gnomon-bench-") as folder:
        async with household(run.pool, run.url, Path(folder)) as house:
            run.say("coming to rest")
            await asyncio.sleep(_SMALL_WINDOW if run.is_small else _SETTLE)
            postmaster = await cpu.server_of(run.pool)
            for number in range(1 if run.is_small else ROUNDS):
                run.say(f"window {number + 1}")
                rounds.append(await _window(run.pool, house, postmaster, window))
            touched = await _buffers(run.pool)
    return _told(run, rounds, touched, wanted)


async def _window(pool: Pool, house: Household, postmaster: int, seconds: float) -> dict[str, float]:
    """Percent of a core that each used, and buffers a second."""

    async def looked() -> tuple[float, dict[str, float], float]:
        blocks = float((await one(pool, _TOUCHED))["blocks"])
        return time.monotonic(), _spent(house, postmaster), blocks

    began, before, blocks_before = await looked()
    await asyncio.sleep(seconds)
    ended, after, blocks = await looked()
    used = {name: (after[name] - before[name]) / (ended - began) * 100 for name in after}
    return used | {"all": sum(used.values()), "buffers": (blocks - blocks_before) / (ended - began)}


def _spent(house: Household, postmaster: int) -> dict[str, float]:
    own = {name: cpu.seconds_of(child.pid) for name, child in house.children.items() if child.pid is not None}
    return own | {_SERVER: cpu.seconds_of_server(postmaster)}


async def _buffers(pool: Pool) -> dict[str, float]:
    parameters: list[Any] = await poll_parameters(pool)
    poll = await calm.buffers(pool, EMPTY_POLL, parameters)
    snapshot = (await one(pool, "select pg_current_snapshot()::text as snapshot"))["snapshot"]
    return {"poll": poll, "unchanged": await calm.buffers(pool, _UNCHANGED, [*parameters, snapshot])}


def _told(run: Run, rounds: list[dict[str, float]], touched: Mapping[str, float], wanted: Fill) -> Measured:
    middle = {name: median(found[name] for found in rounds) for name in rounds[0]}
    bars = [
        Bar(what="all processes, % of a core", value=middle["all"], bar=_AT_MOST),
        Bar(what="buffers of an idle poll, a shard", value=touched["poll"] / _SHARDS, bar=8.0),
    ]
    lines = [
        *(Line(what=name, values={"idle": used}, unit="%") for name, used in middle.items() if name != "buffers"),
        Line(what="poll of all lanes and shards", values={"idle": touched["poll"]}, unit="buffers"),
        Line(what="the same, nothing changed", values={"idle": touched["unchanged"]}, unit="buffers"),
        Line(what="whole database, a second", values={"idle": middle["buffers"]}, unit="buffers"),
    ]
    return Measured(
        bars=() if run.is_small else bars,
        lines=lines,
        rounds=rounds,
        versions={},
        settings={"pending": wanted.schedules, "minutes_a_window": run.minutes, "small": run.is_small},
        notes=["small: too few rows and too short for bars, none was judged"] if run.is_small else [],
    )


BENCHMARK: Final = Benchmark(what="what everything costs while nothing is due", measure=_measure)
