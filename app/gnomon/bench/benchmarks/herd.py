"""Many due at one instant: how late each became a row in the caller's own table, ours and peers'.

Every side has a fresh database on the same server, one process of its own that works, and as many sessions in it as its
documentation recommends. The caller's table is the same for all; a row bears the database's clock at its insert.
"""

import asyncio
import json
import sys
import time
from collections.abc import Mapping
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from functools import partial
from statistics import median
from typing import Final

from gnomon.bench.benchmark import Bar, Benchmark, Line, Measured, Run
from gnomon.bench.calm import checkpoint
from gnomon.bench.cpu import seconds_of_trees, server_of
from gnomon.bench.databases import Databases, databases_of
from gnomon.bench.lateness import lateness
from gnomon.bench.processes import ProgramEnded, running
from gnomon.bench.rivals import Rival, Rivals
from gnomon.bench.rounds import ROUNDS, Side, alternate, middle
from gnomon.database.call import one, rows
from gnomon.database.migrate import upgrade
from gnomon.database.pool import Pool, open_pool
from gnomon.settings import surroundings

_OURS: Final = "gnomon"
_BULLMQ: Final = "bullmq"
_PEERS: Final = (_BULLMQ, "graphile-worker", "pg-boss", "pgqueuer", "procrastinate", "awa-pg")
_COUNT: Final = 10_000
_CHUNK: Final = 500
_SESSIONS: Final = 2
"""Of our consumer: as many as the smallest machine has cores."""
_PATIENCE_S: Final = 120
_COUNTED_FROM_S: Final = 2.5
"""Before the instant: the processor's time is counted from here, since our poller makes deliveries two seconds ahead."""
_PARTS: Final = ("p50_ms", "p95_ms", "last_ms")
_OF_BULLMQ: Final = 6
_OF_THE_BEST: Final = 4

_TABLE: Final = """
create table herd_rows (
    id int not null,
    due_at timestamptz not null,
    inserted_at timestamptz not null default clock_timestamp()
)
"""
_LATE: Final = "select id, extract(epoch from inserted_at - due_at)::float8 as late from herd_rows"
_ASK: Final = "select error_code, error_detail from gnomon.schedule_many(%s::jsonb) where error_code is not null"


class Incomplete(ProgramEnded):
    """Not every row came, or one came twice."""

    hint = "no number of such a run counts"


async def _measure(run: Run) -> Measured:
    count = _COUNT // 100 if run.is_small else _COUNT
    rivals = Rivals()
    await rivals.install(run, _PEERS)
    async with databases_of(run) as databases:
        sides: dict[str, Side] = {_OURS: partial(_ours, run, databases, count)}
        for name, rival in rivals.all.items():
            sides[name] = rivals.forgiven(run, name, partial(_peer, run, databases, count, rivals, rival))
        rounds = rivals.kept(await alternate(sides, count=1 if run.is_small else ROUNDS, say=run.say))
    notes = [*rivals.notes, *(["small: too few for bars, none was judged"] if run.is_small else [])]
    return Measured(
        bars=() if run.is_small else _bars(rounds),
        lines=[
            Line(what=what, unit="ms", values={side: middle(rounds, side, f"{what}_ms") for side in rounds[0]})
            for what in ("p50", "p95", "last")
        ]
        + [Line(what="CPU of all", unit="ms", values={side: middle(rounds, side, "cpu_ms") for side in rounds[0]})],
        rounds=rounds,
        versions=rivals.versions,
        settings={
            "count": count,
            _OURS: {"pollers": 1, "consumers": 1, "sessions": _SESSIONS, "batch": _CHUNK},
            "peers": rivals.settings,
            "small": run.is_small,
        },
        notes=notes,
    )


async def _ours(run: Run, databases: Databases, count: int) -> dict[str, float]:
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(databases.fresh(_OURS))
        await asyncio.to_thread(upgrade, url)
        pool = await stack.enter_async_context(open_pool(url, min_size=1, max_size=1, application_name="herd"))
        await rows(pool, _TABLE)
        await checkpoint(run.pool)
        environment = surroundings() | {"GNOMON_DATABASE_URL": url}
        poller = await stack.enter_async_context(
            running("poller", sys.executable, "-m", "gnomon", "poll", environment=environment)
        )
        told = json.dumps({"url": url, "sessions": _SESSIONS})
        consumer = await stack.enter_async_context(
            running("consumer", sys.executable, "-m", "gnomon.bench.herd_consumer", told)
        )
        await consumer.line(60)
        due = time.time() + _lead(count)
        began = time.perf_counter()
        await _ask(pool, count, due)
        made = time.perf_counter() - began
        pids = (await server_of(run.pool), poller.pid, consumer.pid)
        await asyncio.sleep(max(0, due - time.time() - _COUNTED_FROM_S))
        used = seconds_of_trees(*pids)
        found = await _complete(url, count, due)
        return {**found, "made_s": made, "cpu_ms": (seconds_of_trees(*pids) - used) * 1e3}


async def _ask(pool: Pool, count: int, due: float) -> None:
    at = datetime.fromtimestamp(due, UTC).isoformat(timespec="milliseconds")
    asked = [
        {"user_id": f"u_{n}", "template_id": "herd", "channels": ["inbox"], "schedule_at": at, "params": {"number": n}}
        for n in range(count)
    ]
    for first in range(0, count, _CHUNK):
        if refused := await rows(pool, _ASK, (json.dumps(asked[first : first + _CHUNK]),)):
            raise Incomplete(f"{len(refused)} were refused, the first one for {refused[0]}")


async def _peer(run: Run, databases: Databases, count: int, rivals: Rivals, rival: Rival) -> dict[str, float]:
    lead = _lead(count)
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(databases.fresh(rival.name.replace("-", "_")))
        redis = await stack.enter_async_context(rivals.redis_of(rival))
        async with open_pool(url, min_size=1, max_size=1, application_name="herd") as pool:
            await rows(pool, _TABLE)
        await checkpoint(run.pool)
        pids = [await server_of(run.pool), *([redis.pid] if redis else [])]
        wanted = {"work": "herd", "url": url, "count": count, "lead_s": lead, "patience_s": _PATIENCE_S}
        command = rival.command(wanted | {"redis_port": redis.port if redis else 0})
        worker = await stack.enter_async_context(running(rival.name, *command))
        due = json.loads(await worker.line(lead + _PATIENCE_S))["due"]
        await asyncio.sleep(max(0, due - time.time() - _COUNTED_FROM_S))
        used = seconds_of_trees(*pids)
        told = json.loads(await worker.line(lead + 2 * _PATIENCE_S))
        used = seconds_of_trees(*pids) - used
        found = await _complete(url, count, due)
        return {**found, "made_s": told["made_s"], "cpu_ms": (used + told["cpu_s"]) * 1e3}


async def _complete(url: str, count: int, due: float) -> dict[str, float]:
    """Wait until every row is there. Raises Incomplete."""
    async with open_pool(url, min_size=1, max_size=1, application_name="herd") as pool:
        give_up_at = due + _PATIENCE_S
        await asyncio.sleep(max(0, due - time.time()))
        while (there := (await one(pool, "select count(*) as count from herd_rows"))["count"]) < count:
            if time.time() > give_up_at:
                raise Incomplete(f"{there} of {count} rows came within {_PATIENCE_S} s")
            await asyncio.sleep(0.25)
        found = await rows(pool, _LATE)
    if len({row["id"] for row in found}) != len(found):
        raise Incomplete(f"{len(found)} rows came of {count} deliveries")
    return lateness([row["late"] for row in found])


def _lead(count: int) -> float:
    """Seconds from the first request to the instant: time to ask and for everybody to be at rest."""
    return 4 + count / 800


def _bars(rounds: list[dict[str, dict[str, float]]]) -> list[Bar]:
    """Ratios within each round, the median of them."""
    others = [name for name in rounds[0] if name not in {_OURS, _BULLMQ}]
    bars = []
    for part in _PARTS:
        what = part.removesuffix("_ms")
        if _BULLMQ in rounds[0]:
            ratio = median(_ratio(found, part, [_BULLMQ]) for found in rounds)
            bars.append(Bar(what=f"{what}, times BullMQ's is later", value=ratio, bar=_OF_BULLMQ, is_ceiling=False))
        if others:
            ratio = median(_ratio(found, part, others) for found in rounds)
            bars.append(
                Bar(what=f"{what}, times the best other's is later", value=ratio, bar=_OF_THE_BEST, is_ceiling=False)
            )
    bars.append(Bar(what="ms that any came early", value=-min(_first(rounds)), bar=0))
    return bars


def _ratio(found: Mapping[str, Mapping[str, float]], part: str, others: list[str]) -> float:
    return min(found[name][part] for name in others) / found[_OURS][part]


def _first(rounds: list[dict[str, dict[str, float]]]) -> list[float]:
    return [found[_OURS]["first_ms"] for found in rounds]


BENCHMARK: Final = Benchmark(what="10,000 due at one instant, each a row in the caller's own table", measure=_measure)
